"""The commands, a module for each, loaded when it is called."""
