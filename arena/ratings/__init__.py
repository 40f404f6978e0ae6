"""How strong the bots are, from all records at once: one file each, with one function `rate(columns, ...)`.

A rating is a fit, never a running sum, so the order of the records changes nothing. Pure: values in, values out.
"""
