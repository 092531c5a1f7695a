"""Commands of what leaves this machine for an address that people named."""
