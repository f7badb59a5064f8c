"""Sun & Lu 2020, Understanding Attention for Text Classification: tables, figures, claims."""
