"""Derivatives of tensor programs: a tape over float32 arrays of any rank."""
