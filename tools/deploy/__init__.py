"""Deploy: builds for Vercel and Lambda, tried on the platforms' own runtimes."""
