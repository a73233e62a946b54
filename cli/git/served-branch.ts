/** `svc dev --per-branch`: which branch's data are served, and what to do once another one is checked out. */
import { execFile } from 'node:child_process'
import { unwatchFile, watchFile } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { CliFailure, exits } from '../base/failure.js'
import { gitPlace } from '../snapshots/git-place.js'

const pollMilliseconds = 1_000

/** What stands for a branch where a commit is checked out by itself; no branch can have that name. */
const noBranch = 'HEAD'

export interface ServedBranch {
  readonly name: string
  /** What the line at the bottom says of it. */
  readonly words: () => string
  /** Says when another branch is checked out, until the answered function is called. */
  follow(say: (words: string) => void): () => void
}

/** @throws {CliFailure} with exit 2 outside of a repository */
export async function openServedBranch(folder: string = process.cwd()): Promise<ServedBranch> {
  const head = await headFile(folder)
  const name = await branchOf(folder)
  let found = name

  return {
    name,
    words: () => (found === name ? `branch ${name}` : `branch ${name}, checked out: ${found}`),
    follow(say) {
      const look = async () => {
        const before = found
        found = await branchOf(folder)
        if (found === before) return
        if (found === name) say(`"${name}" is checked out again, and served.`)
        else
          say(`"${found}" is checked out, and the data of "${name}" are still served. Stop svc dev and start it again.`)
      }
      const onChange = () => void look()
      watchFile(head, { interval: pollMilliseconds, persistent: false }, onChange)
      return () => unwatchFile(head, onChange)
    },
  }
}

/** The branch whose data are in that folder, and the one that is checked out where it is another; of other folders nothing. */
export async function servedBranch(dataDir: string | null): Promise<{ branch?: string; checkedOut?: string }> {
  const place = dirname(dataDir ?? '')
  const branches = dirname(place)
  if (basename(branches) !== 'branches') return {}
  const branch = await branchOfPlace(place)
  // Where the state folder is elsewhere, nothing is known of the repository.
  const { branch: checkedOut = branch } = await gitPlace(dirname(dirname(branches)))
  return { branch, ...(checkedOut === branch ? {} : { checkedOut }) }
}

/** What the folder says itself, as the emulator wrote it there: its name may be cut. */
async function branchOfPlace(place: string): Promise<string> {
  return (await readFile(join(place, 'branch'), 'utf8').catch(() => '')) || basename(place)
}

async function branchOf(folder: string): Promise<string> {
  return (await gitPlace(folder)).branch ?? noBranch
}

/** The file that says what is checked out: each working tree has its own. */
async function headFile(folder: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('git', ['rev-parse', '--git-path', 'HEAD'], { cwd: folder })
    return resolve(folder, stdout.trim())
  } catch (cause) {
    const message = 'There is no git repository here, and so no branch.'
    throw new CliFailure('NO_REPOSITORY', exits.misuse, message, 'Leave out --per-branch.', { cause })
  }
}
