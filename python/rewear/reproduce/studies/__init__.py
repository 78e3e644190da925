"""What studies of papers share. A study of one paper lies beside the experiments that call it (`computation`)."""
