"""Commands about one player: what is stored of them, and whether they may submit."""
