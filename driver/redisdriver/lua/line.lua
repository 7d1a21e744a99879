-- One line, whole.
-- ARGV: line
sweep()
return show_line(ARGV[1])
