"""Two folds' worth of pictures: the transcript and its renderers."""
