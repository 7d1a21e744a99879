package child

import (
	"os"
	"os/signal"
)

// Catch sends the signals to the channel, other than those that whoever started us
// wants ignored (nohup, say): they stay ignored, here and in the command.
func Catch(to chan<- os.Signal, signals ...os.Signal) {
	for _, s := range signals {
		if !signal.Ignored(s) {
			signal.Notify(to, s)
		}
	}
}
