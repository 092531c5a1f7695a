"""Files that people give: lines, packed or not, and YAML, read within limits."""
