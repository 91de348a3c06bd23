"""Reading: the read path, from a query to pages, ranks and pictures."""
