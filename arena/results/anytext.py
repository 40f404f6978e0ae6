"""pandas for texts that no UTF-8 has, such as half a surrogate pair in a name: import `pd` from here.

Where pyarrow is installed, as for `arena export --format parquet`, pandas keeps texts as Arrow does, and that fails.
"""

import pandas as pd

__all__ = ["pd"]

pd.set_option("mode.string_storage", "python")
