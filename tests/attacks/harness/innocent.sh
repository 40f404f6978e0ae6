# The bot in the other seat, where it need not be Python: has a secret in memory and in a file, and does nothing wrong.
read -r secret < secret.txt
while read -r line; do
  [ "$line" = "ready?" ] && echo ready
done
