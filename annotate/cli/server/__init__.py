"""The commands of the person who runs the server: several projects next to each other."""
