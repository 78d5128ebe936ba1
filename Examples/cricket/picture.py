def drawn(played): return ""
