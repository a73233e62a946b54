/** Tells people at a terminal about a newer release, once a day. */
import { spawn } from 'node:child_process'
import { calledAs } from '../base/called-as.js'
import { onStderr } from '../terminal/colour.js'
import { dayMilliseconds, isNewer, readRelease, writeRelease } from './release.js'

/** Shows what is known, and refreshes it in the background for the next command. */
export async function noticeRelease(version: string, now = Date.now()): Promise<void> {
  const known = readRelease()
  const { latest, shownAt = 0, checkedAt } = known
  if (latest !== undefined && isNewer(latest, version) && now - shownAt >= dayMilliseconds) {
    process.stderr.write(
      onStderr.dim(`svc ${latest} is available, you have ${version}. Update: ${calledAs()} update\n`),
    )
    await writeRelease({ ...known, shownAt: now })
  }
  if (now - checkedAt >= dayMilliseconds) refreshLater()
}

function refreshLater(): void {
  const script = process.argv[1]
  if (script === undefined) return
  spawn(process.execPath, [script, 'update', '--refresh'], { detached: true, stdio: 'ignore' })
    .on('error', () => undefined)
    .unref()
}
