# What the peers that are shell scripts have in common. They define lock and unlock.

# Nobody ever writes to this: to read from it for a while is to sleep, without a process.
exec {nothing}<> <(:)
pause() { read -rt "$1" -u "$nothing" || true; }

# One step of the counter, in parts that another could come between.
step() {
  read -r n <"$1" || n=0
  pause 0.001
  echo $((n + 1)) >"$1"
}

locked_step() {
  lock
  step "$1"
  unlock
}

rested_step() {
  locked_step "$1"
  pause 0.005 # so that others get the lock, too
}

repeat() {
  for ((i = 0; i < $2; i++)); do "$1" "$3"; done
  echo counted
}

serve() {
  echo ready
  while read -r order rounds file; do
    case $order in
      lock) lock; echo locked ;;
      unlock) unlock; echo unlocked ;;
      count) repeat rested_step "$rounds" "$file" ;;
      race) repeat step "$rounds" "$file" ;;
    esac
  done
}
