"""RECORDED: files and tables of changes, in each format, as typed changes."""
