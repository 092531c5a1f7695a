"""Files that people give: lines, packed or not, labelled rows, and YAML, read within limits."""
