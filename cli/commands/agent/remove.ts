import { rm, rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { agentPlaces, detectState } from '../../agent/places.js'
import { dryRunFlag } from '../../base/dry-run-flag.js'
import { type CommandInput, SvcCommand } from '../../base/svc-command.js'
import { replaceWhole } from '../../files/replace-whole.js'
import { nearby } from '../../init/write-plan.js'
import { requireNoLink } from '../../target/no-link.js'

export default class AgentRemove extends SvcCommand {
  static override summary = 'Remove what svc agent setup wrote.'
  static override description =
    'Deletes the skills, and takes the block and the server out of files that have more. Asks first.'
  static override examples = ['<%= config.bin %> agent remove', '<%= config.bin %> agent remove --dry-run --json']
  static override flags = { 'dry-run': dryRunFlag }

  protected readonly access = ({ flags }: CommandInput) => (flags['dry-run'] ? 'read' : 'write')

  async run() {
    const { flags } = await this.parse(AgentRemove)
    const folder = process.cwd()
    const places = agentPlaces({ root: this.config.root, folder, mayWrite: false }).filter(
      (place) => detectState(place) !== 'missing',
    )
    const files = places.map(({ path, without }) => ({
      path: nearby(path),
      change: without === undefined ? 'delete' : 'shorten',
    }))
    for (const { path, change } of files) this.note(`  ${path}  (${change})`)
    if (files.length === 0) this.note('Nothing to remove.')
    if (flags['dry-run'] || files.length === 0) return { files, isRemoved: false }
    await this.confirm('Remove these?', flags)
    for (const { path, without } of places) {
      requireNoLink(path, folder)
      if (without !== undefined) await replaceWhole(path, without)
      else {
        await rm(path)
        await removeEmpty(dirname(path), folder)
      }
    }
    return { files, isRemoved: true }
  }
}

/** Removes folders that have become empty, up to the app. */
async function removeEmpty(folder: string, last: string): Promise<void> {
  if (folder === last || !folder.startsWith(last)) return
  const isEmpty = await rmdir(folder).then(
    () => true,
    () => false,
  )
  if (isEmpty) await removeEmpty(dirname(folder), last)
}
