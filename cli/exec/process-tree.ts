/** Signals a process and its children, because `npm test` does not pass signals on. On Windows, signals only the process. */
import { execFile, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Uses `pgrep` on systems without `/proc`. */
const tree = `
children() {
  if [ -d /proc/self ]; then grep -l "^PPid:[[:space:]]*$1\\$" /proc/[0-9]*/status | cut -d / -f 3
  else pgrep -P "$1"; fi
}
tree() {
  echo "$1"
  for child in $(children "$1"); do tree "$child"; done
}`

/** Reads the pid, then waits for its input to end: with a line after a normal exit, without one if this process was killed. */
const watch = `${tree}
read -r pid || exit
read -r line || {
  all=$(tree "$pid")
  kill -TERM $all
  sleep 2
  kill -KILL $all
} 2>/dev/null`

/** Returns the pids of the process and of its running descendants. */
export async function processTree(pid: number): Promise<readonly number[]> {
  if (process.platform === 'win32') return [pid]
  // Without the shell, its children are unknown.
  const { stdout } = await run('/bin/sh', ['-c', `${tree}\ntree "$1" 2>/dev/null`, 'svc', String(pid)]).catch(() => ({
    stdout: '',
  }))
  return [pid, ...stdout.trim().split('\n').slice(1).map(Number)]
}

/** Skips processes that have ended. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) reaches(pid, signal)
}

/** Resolves once none of the processes runs, or after the timeout. */
export async function untilEnded(pids: readonly number[], timeoutMilliseconds: number): Promise<void> {
  const end = performance.now() + timeoutMilliseconds
  while (pids.some((pid) => reaches(pid, 0)) && performance.now() < end) await pause(20)
}

function reaches(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

/** Ends a child process and its descendants if this process is killed. */
export interface ProcessWatch {
  begin(pid: number): void
  callOff(): void
}

/**
 * Starts a shell that waits for the end of this process, which cannot clean up after SIGKILL. It starts before the child, so the
 * child is unwatched only until `begin`.
 */
export function openProcessWatch(): ProcessWatch {
  if (process.platform === 'win32') return { begin: () => undefined, callOff: () => undefined }
  const watching = spawn('/bin/sh', ['-c', watch], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Keeps it out of the process group, to which a terminal sends Ctrl-C.
    detached: true,
  })
  // Without a shell, the child simply runs unwatched.
  watching.on('error', () => undefined)
  watching.stdin.on('error', () => undefined)
  watching.unref()
  let end = ''
  return {
    begin(pid) {
      watching.stdin.write(`${pid}\n`)
      end = 'done\n'
    },
    callOff: () => void watching.stdin.end(end),
  }
}
