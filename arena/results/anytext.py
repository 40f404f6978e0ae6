"""pandas for texts that are not valid in UTF-8, such as half a surrogate pair in a name.

Import `pd` from here. Where pyarrow is installed, as for `arena export --format parquet`, pandas
stores texts as Arrow does, which fails for such texts.
"""

import pandas as pd

__all__ = ["pd"]

pd.set_option("mode.string_storage", "python")
