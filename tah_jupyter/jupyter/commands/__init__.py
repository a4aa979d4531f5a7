"""What each word after ``%tah`` does: one module a word, imported when the word is used."""
