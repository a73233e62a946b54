import { spawn } from 'node:child_process'

/**
 * Waits for the end of its input, which comes with a line where all is well, and without one where this process was killed. Then
 * what the command has started ends with it: `npm test` hands no signal on to what its shell runs. Systems without `/proc`
 * have `pgrep`.
 */
const script = `
children() {
  if [ -d /proc/self ]; then grep -l "^PPid:[[:space:]]*$1\\$" /proc/[0-9]*/status | cut -d / -f 3
  else pgrep -P "$1"; fi
}
tree() {
  echo "$1"
  for child in $(children "$1"); do tree "$child"; done
}
read -r line || {
  all=$(tree "$1")
  kill -TERM $all
  sleep 2
  kill -KILL $all
} 2>/dev/null`

/**
 * Ends a child process and those below it if this one is killed, which it cannot see coming: a shell waits for that. Answers how
 * to call it off.
 * On Windows, which has no such shell, the child goes on.
 */
export function endWithThisProcess(pid: number): () => void {
  if (process.platform === 'win32') return () => undefined
  const watch = spawn('/bin/sh', ['-c', script, 'svc-exec', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // What is sent to the whole group at a terminal, Ctrl-C above all, is not for it.
    detached: true,
  })
  // Without the shell the child is as safe as any other.
  watch.on('error', () => undefined)
  watch.stdin.on('error', () => undefined)
  watch.unref()
  return () => watch.stdin.end('done\n')
}
