import * as Args from '@oclif/core/args'
import type { Control } from '../../client/control.js'
import { type Applied, forgetApplied, readApplied } from '../parity/kept-runs.js'
import { SnapshotCommand } from '../snapshots/snapshot-command.js'
import { openControl } from '../target/control.js'
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
const maxNamed = 20

export default class Undo extends SnapshotCommand {
  static override summary = 'Undo the last destructive command.'
  static override description =
    prose(`Commands that delete or change more than one document save a snapshot first and print its name. svc undo restores what
the last such command deleted or changed, and deletes what it created. It keeps and lists what was written since.

Run it again to undo the command before. svc snapshot list shows the snapshots. At a terminal, svc undo names the command and asks.`)
  static override examples = ['<%= config.bin %> undo', '<%= config.bin %> undo auto-2026-11-22-221503-3f9a --json']
  static override args = {
    snapshot: Args.string({
      description: 'automatic snapshot before the command to undo [default: the newest]',
    }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(Undo)
    const { snapshots, project } = this.snapshots(flags)
    const applied = args.snapshot === undefined ? await this.findApplied(snapshots, project) : undefined
    if (applied) return this.undoApplied(applied, flags)
    const asked = this.mayAsk(flags) ? await this.ask(snapshots, { project, name: args.snapshot }) : undefined
    const undone = await snapshots.undo({ project, snapshot: args.snapshot ?? asked })

    this.note(`Undid "svc ${undone.command}": ${describeUndone(undone)}.`)
    for (const [part, noun] of parts) this.showKept(undone[part], noun)
    return undone
  }

  /** Returns what `svc parity apply` did, if no destructive command came later. */
  private async findApplied(snapshots: Control['snapshots'], project: string): Promise<Applied | undefined> {
    const applied = readApplied(project)
    if (!applied) return undefined
    const saved = await snapshots.list({ project })
    const isLast = saved.snapshots.every(({ command, madeAt }) => command === null || madeAt < applied.at)
    return isLast ? applied : undefined
  }

  private async undoApplied(
    { run, project, before, dialect }: Applied,
    flags: Parameters<Undo['emulator']>[0] & Parameters<Undo['mayAsk']>[0],
  ) {
    const command = `parity apply ${run}`
    if (this.mayAsk(flags)) await this.confirm(`Undo "svc ${command}"?`, { yes: false })
    await openControl(this.emulator(flags)).projects.update({ project, settings: { dialect: before } })
    forgetApplied()
    this.note(`Undid "svc ${command}": the dialect is "${before}" again, not "${dialect}".`)
    return { command, dialect: before }
  }

  /** Asks, and returns the confirmed snapshot, because a newer one may be saved during the prompt. */
  private async ask(snapshots: Control['snapshots'], { project, name }: { project: string; name: string | undefined }) {
    const saved = await snapshots.list({ project })
    const last = saved.snapshots.find((one) => one.command !== null && (name === undefined || one.name === name))
    // The service explains why there is nothing to undo.
    if (!last) return undefined
    await this.confirm(`Undo "svc ${last.command}" of ${shortTime(last.madeAt)}?`, { yes: false })
    return last.name
  }

  /** Lists records that were written since and stay. */
  private showKept({ kept, keptCount }: Undone[Part], noun: string): void {
    if (keptCount === 0) return
    this.noteAlways(`Kept ${counted(keptCount, noun)} that changed since or are in the way:`)
    for (const { id, name } of kept.slice(0, maxNamed)) this.noteAlways(`  ${id}${name === null ? '' : `  ${name}`}`)
    if (keptCount > maxNamed) this.noteAlways(`  … and ${count(keptCount - maxNamed)} more`)
  }
}

function describeUndone(undone: Undone): string {
  const back = parts.flatMap(([part, noun]) =>
    undone[part].restored > 0 ? [counted(undone[part].restored, noun)] : [],
  )
  const gone = parts.flatMap(([part, noun]) => (undone[part].removed > 0 ? [counted(undone[part].removed, noun)] : []))
  const words = [
    ...(back.length > 0 ? [`restored ${back.join(', ')}`] : []),
    ...(gone.length > 0 ? [`deleted ${gone.join(', ')}`] : []),
  ]
  return words.length > 0 ? words.join('; ') : 'nothing was left to restore'
}
