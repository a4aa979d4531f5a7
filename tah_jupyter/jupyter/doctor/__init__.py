"""``%tah doctor``: a module for each group of checks; :mod:`examine` runs them, :mod:`report` says what they found."""
