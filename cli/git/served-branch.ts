/** Tracks the branch that `svc dev --per-branch` serves, and reports when another one is checked out. */
import { execFile } from 'node:child_process'
import { unwatchFile, watchFile } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { CliFailure, exits } from '../base/failure.js'
import { gitPlace } from '../snapshots/git-place.js'

const pollMilliseconds = 1_000

/** Stands for a detached HEAD. No branch can have this name. */
const noBranch = 'HEAD'

export interface ServedBranch {
  readonly name: string
  /** Returns the text for the status line. */
  readonly describe: () => string
  /** Reports when another branch is checked out, until the returned function is called. */
  follow(say: (words: string) => void): () => void
}

/** @throws {CliFailure} with exit 2 outside a repository */
export async function openServedBranch(folder: string = process.cwd()): Promise<ServedBranch> {
  const head = await headFile(folder)
  const name = await checkedOutBranch(folder)
  let found = name

  return {
    name,
    describe: () => (found === name ? `branch ${name}` : `branch ${name}, checked out: ${found}`),
    follow(say) {
      const look = async () => {
        const before = found
        found = await checkedOutBranch(folder)
        if (found === before) return
        if (found === name) say(`"${name}" is checked out again, and its data is served.`)
        else say(`"${found}" is checked out, but the emulator still serves the data of "${name}". Restart svc dev.`)
      }
      const onChange = () => void look()
      watchFile(head, { interval: pollMilliseconds, persistent: false }, onChange)
      return () => unwatchFile(head, onChange)
    },
  }
}

/** Returns the branch of a data folder, and the checked-out branch if it differs. Empty without --per-branch. */
export async function servedBranch(dataDir: string | null): Promise<{ branch?: string; checkedOut?: string }> {
  const place = dirname(dataDir ?? '')
  const branches = dirname(place)
  if (basename(branches) !== 'branches') return {}
  const branch = await readBranchName(place)
  // A state folder outside the repository does not show which branch is checked out.
  const { branch: checkedOut = branch } = await gitPlace(dirname(dirname(branches)))
  return { branch, ...(checkedOut === branch ? {} : { checkedOut }) }
}

/** Reads the branch from a file in the folder, because the folder's name may be cut. */
async function readBranchName(place: string): Promise<string> {
  return (await readFile(join(place, 'branch'), 'utf8').catch(() => '')) || basename(place)
}

async function checkedOutBranch(folder: string): Promise<string> {
  return (await gitPlace(folder)).branch ?? noBranch
}

/** Returns the HEAD file. Each working tree has its own. */
async function headFile(folder: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('git', ['rev-parse', '--git-path', 'HEAD'], { cwd: folder })
    return resolve(folder, stdout.trim())
  } catch (cause) {
    const message = '--per-branch needs a git repository, but this folder is in none.'
    throw new CliFailure('NO_REPOSITORY', exits.misuse, message, 'Create one: git init. Or leave out --per-branch.', {
      cause,
    })
  }
}
