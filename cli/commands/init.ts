import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, open, rm } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { CliFailure, exits, misuse } from '../base/failure.js'
import { emulatorHere } from '../base/here.js'
import { SvcCommand } from '../base/svc-command.js'
import { rememberFolder } from '../config/folder-config.js'
import { replaceWhole } from '../files/replace-whole.js'
import { readApp } from '../init/app.js'
import { ciKinds, planCi } from '../init/ci.js'
import { packageManagerOf } from '../init/package-manager.js'
import {
  configAbove,
  type PlannedFile,
  planExistingApp,
  planTemplate,
  readTemplates,
  type Template,
} from '../init/plan.js'
import { isStillThere, patientMilliseconds } from '../target/emulator-health.js'
import { envFile, replaceEnvFile } from '../target/env-file.js'
import { requireNoLink } from '../target/no-link.js'
import { nearest } from '../terminal/nearest.js'
import { prose } from '../terminal/prose.js'
import { shellWord } from '../terminal/shell-word.js'

const startsLater = 'svc dev fills .env.local; it goes on until you stop it, in a terminal of its own.'

export default class Init extends SvcCommand {
  static override summary = 'Create an app from a template, or add the service to an existing one.'
  static override description =
    prose(`In a folder with a package.json it adds svc.json (unless one above it counts), .env.local and a
client file, elsewhere the files of a template. Names of settings, and how they are read, are those of Vite, Next, Expo or plain Node, by what
the package.json depends on. It shows the files and lines that it is going to write, asks, and never writes over a file that is there. --yes writes without showing them.`)
  static override examples = [
    '<%= config.bin %> init',
    '<%= config.bin %> init notes --template web',
    '<%= config.bin %> init --ci github',
    '<%= config.bin %> init --template node --yes --json',
  ]
  static override args = { folder: Args.string({ default: '.', description: 'folder of the app' }) }
  static override flags = {
    template: Flags.string({ description: 'template to start from: chat, node, react or web' }),
    ci: Flags.option({
      options: ciKinds,
      description: 'add what runs the tests elsewhere: a GitHub workflow, or a script for any CI',
    })(),
  }

  async run() {
    const { args, flags } = await this.parse(Init)
    const folder = resolve(args.folder)
    const templates = readTemplates(this.config.root)
    const isThere = existsSync(join(folder, 'package.json'))
    const name = flags.template ?? (isThere ? undefined : await this.askTemplate(templates, flags))
    const template = name === undefined ? undefined : requireTemplate(name, templates)
    const emulator = emulatorHere(undefined)
    const { root } = this.config
    const app = template ? undefined : readApp(folder)
    const planned = () => {
      const files = app ? planExistingApp(app, emulator) : []
      if (template) files.push(...planTemplate(root, template, folder, emulator))
      // A template says by itself that it is installed by npm.
      const manager = app?.manager ?? packageManagerOf(folder, folder)
      const plan = [...files, ...(flags.ci ? [planCi(root, flags.ci, folder, manager)] : [])]
      requireWritable(plan, folder, template)
      return plan
    }
    const shown = planned()

    if (app) this.note(`For ${app.title}:`)
    for (const line of planLines(shown)) this.note(line)
    if (!flags.yes) for (const line of shown.flatMap(contentLines)) this.note(line)
    const above = app && !shown.some(({ path }) => basename(path) === 'svc.json') ? configAbove(folder) : undefined
    if (above !== undefined)
      this.note(`What ${nearby(above)} says counts here too; an svc.json of its own would hide it.`)
    if (shown.some(({ change }) => change !== 'keep')) await this.confirm('Write them?', flags)
    // Files may have come, or have been edited, while it asked.
    const plan = planned()
    const others = plan.filter(({ path, change }) => !shown.some((one) => one.path === path && one.change === change))
    for (const line of planLines(others)) this.note(line)
    // What is written here says how the emulator runs; it need not be accepted once more.
    const isNew = template !== undefined && isEmpty(folder)
    for (const file of plan) await write(file)
    if (isNew) await rememberFolder(folder)
    const runs = app !== undefined && emulator !== undefined && (await isStillThere(emulator, patientMilliseconds))
    const steps = [...(app?.installs ?? []), ...(app && !runs ? [app.start] : []), ...(template?.next ?? [])]
    const next = steps.length > 0 && args.folder !== '.' ? [`cd ${shellWord(args.folder)}`, ...steps] : steps
    if (next.length > 0) this.note(['', 'Next:', ...next.map((step) => `  ${step}`)].join('\n'))
    this.note(runs ? `.env.local names the emulator that runs at ${emulator.url}.` : startsLater)
    if (flags.ci && app && !app.hasTests)
      this.note('The tests that --ci runs are missing: package.json has no script "test". Add one before you push.')
    if (app?.kind === 'node')
      this.note('On your machine, start your app with node --env-file=.env.local, which reads it.')
    return {
      folder,
      template: template?.name ?? null,
      app: app?.kind ?? null,
      files: plan.map(({ path, change }) => ({ path: nearby(path), change })),
      next,
    }
  }

  private async askTemplate(templates: readonly Template[], flags: { yes: boolean }): Promise<string> {
    if (!this.mayAsk(flags)) return 'node'
    const { select } = await import('@inquirer/prompts')
    const choices = templates.map(({ name, title }) => ({ value: name, name: `${name}: ${title}` }))
    return select({ message: 'Which template?', choices }, { output: process.stderr })
  }
}

function requireTemplate(name: string, templates: readonly Template[]): Template {
  const template = templates.find((known) => known.name === name)
  if (template) return template
  const names = templates.map((known) => known.name)
  const meant = nearest(name, names)
  throw misuse(`No template "${name}".`, meant ? `Did you mean "${meant}"?` : `There are: ${names.join(', ')}.`)
}

/** A new repository is empty, too. */
function isEmpty(folder: string): boolean {
  return !existsSync(folder) || readdirSync(folder).every((name) => name === '.git')
}

/** @throws {CliFailure} where a template would come over an app, or a link is in the way */
function requireWritable(plan: readonly PlannedFile[], folder: string, template: Template | undefined): void {
  if (template && plan.some(({ path, change }) => change === 'keep' && path.endsWith('package.json'))) {
    throw new CliFailure(
      'NOT_EMPTY',
      exits.invalid,
      `An app already exists in ${folder}.`,
      'Name a new folder, or leave --template out.',
    )
  }
  for (const { path, change } of plan) if (change !== 'keep') requireNoLink(path, folder)
}

function planLines(plan: readonly PlannedFile[]): string[] {
  const words = { add: 'new', extend: 'lines added', keep: 'there already, left as it is' }
  return plan.map(({ path, change }) => `  ${nearby(path)}  (${words[change]})`)
}

/** What is going to be written: a new file, or the lines that are added to one. */
function contentLines({ path, content, change }: PlannedFile): string[] {
  if (change === 'keep') return []
  const before = change === 'extend' ? readFileSync(path, 'utf8') : ''
  const lines = content
    .slice(content.startsWith(before) ? before.length : 0)
    .trim()
    .split('\n')
  return ['', `${nearby(path)}:`, ...lines.map((line) => `  ${line}`.trimEnd())]
}

/** Nothing is written over: a new file is not there yet, and one that is extended is replaced by what it was and the new lines. */
async function write({ path, content, change }: PlannedFile): Promise<void> {
  if (change === 'keep') return
  if (change === 'extend')
    return basename(path) === envFile ? replaceEnvFile(path, content) : replaceWhole(path, content)
  await mkdir(dirname(path), { recursive: true })
  const file = await open(path, 'wx', modeOf(path))
  try {
    await file.writeFile(content)
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

/** Keys are their owner's alone, and a script can be run. */
function modeOf(path: string): number {
  if (basename(path) === envFile) return 0o600
  return path.endsWith('.sh') ? 0o777 : 0o666
}

function nearby(path: string): string {
  return relative(process.cwd(), path)
}
