import * as Args from '@oclif/core/args'
import type { Control } from '../../client/control.js'
import { SnapshotCommand } from '../snapshots/snapshot-command.js'
import { count, counted } from '../terminal/print.js'
import { prose } from '../terminal/prose.js'
import { shortTime } from '../terminal/short-time.js'

type Undone = Awaited<ReturnType<Control['snapshots']['undo']>>
type Part = 'collections' | 'documents' | 'users' | 'files'

const parts: readonly (readonly [Part, noun: string])[] = [
  ['collections', 'collection'],
  ['documents', 'document'],
  ['users', 'user'],
  ['files', 'file'],
]
const mostNamed = 20

export default class Undo extends SnapshotCommand {
  static override summary = 'Take back the last command that destroyed something at the emulator.'
  static override description =
    prose(`Commands that delete or change more than one document save a snapshot first and say its name. This brings
back what the last of them has removed or changed, and removes what it has created. What was written since stays as it is,
and is listed. Given again, it takes back the command before that one; svc snapshot list shows them. A command that was refused has
changed nothing: the one before it is taken back then. At a terminal it says which command that is, and asks.`)
  static override examples = ['<%= config.bin %> undo', '<%= config.bin %> undo auto-2026-11-22-221503-3f9a --json']
  static override args = {
    snapshot: Args.string({
      description: 'the automatic snapshot before the command; the newest, if none is given',
    }),
  }

  async run() {
    const { args, flags } = await this.parse(Undo)
    const { snapshots, project } = this.snapshots(flags)
    const asked = this.mayAsk(flags) ? await this.ask(snapshots, { project, name: args.snapshot }) : undefined
    const undone = await snapshots.undo({ project, snapshot: args.snapshot ?? asked })

    this.note(`Took back "svc ${undone.command}": ${wordsOf(undone)}.`)
    for (const [part, noun] of parts) this.showKept(undone[part], noun)
    return undone
  }

  /** Asks about the newest, or the one that is named: what was confirmed is what is taken back, whatever is saved meanwhile. */
  private async ask(snapshots: Control['snapshots'], { project, name }: { project: string; name: string | undefined }) {
    const saved = await snapshots.list({ project })
    const last = saved.snapshots.find((one) => one.command !== null && (name === undefined || one.name === name))
    // The service says why there is nothing to undo.
    if (!last) return undefined
    await this.confirm(`Take back "svc ${last.command}" of ${shortTime(last.madeAt)}?`, { yes: false })
    return last.name
  }

  /** What was written since. */
  private showKept({ kept, keptCount }: Undone[Part], noun: string): void {
    if (keptCount === 0) return
    this.noteAlways(`${counted(keptCount, noun)} left as it is now, written since or in the way:`)
    for (const { id, name } of kept.slice(0, mostNamed)) this.noteAlways(`  ${id}${name === null ? '' : `  ${name}`}`)
    if (keptCount > mostNamed) this.noteAlways(`  … and ${count(keptCount - mostNamed)} more`)
  }
}

/** How many of each are as they were before, and how many that had come are gone. */
function wordsOf(undone: Undone): string {
  const back = parts.flatMap(([part, noun]) =>
    undone[part].restored > 0 ? [counted(undone[part].restored, noun)] : [],
  )
  const gone = parts.flatMap(([part, noun]) => (undone[part].removed > 0 ? [counted(undone[part].removed, noun)] : []))
  const words = [
    ...(back.length > 0 ? [`${back.join(', ')} brought back`] : []),
    ...(gone.length > 0 ? [`${gone.join(', ')} removed`] : []),
  ]
  return words.length > 0 ? words.join('; ') : 'nothing was left to bring back'
}
