"""The commands of whoever runs the server: several projects beside each other."""
