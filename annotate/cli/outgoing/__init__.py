"""Commands of the parts that send data to an address that people named."""
