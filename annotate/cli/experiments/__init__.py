"""The commands of studies: experiments and simulations."""
