// Package recipes runs what is built on a lock (read/write locks, semaphores, several
// locks, elections, barriers, once, members and services) on each real store. What they do
// under faults is shown in memory; here it is that they do it everywhere.
package recipes
