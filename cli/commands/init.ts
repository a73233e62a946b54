import { existsSync, readdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { CliFailure, exits, misuse } from '../base/failure.js'
import { emulatorHere } from '../base/here.js'
import { SvcCommand } from '../base/svc-command.js'
import { rememberFolder } from '../config/folder-config.js'
import { type AppFolder, readApp } from '../init/app.js'
import { type CiKind, ciKinds, planCi } from '../init/ci.js'
import { type EditorKind, editorKinds, planEditor } from '../init/editors.js'
import { detectPackageManager } from '../init/package-manager.js'
import {
  configAbove,
  type PlannedFile,
  planExistingApp,
  planTemplate,
  readTemplates,
  type Template,
} from '../init/plan.js'
import { contentLines, nearby, planLines, writePlanned } from '../init/write-plan.js'
import type { EmulatorInfo } from '../target/emulator-file.js'
import { isStillThere, patientMilliseconds } from '../target/emulator-health.js'
import { requireNoLink } from '../target/no-link.js'
import { nearest } from '../terminal/nearest.js'
import { prose } from '../terminal/prose.js'
import { shellWord } from '../terminal/shell-word.js'

const startsLater = 'svc dev fills .env.local. Run it in its own terminal.'

export default class Init extends SvcCommand {
  static override summary = 'Create an app from a template, or set up an existing app.'
  static override description =
    prose(`In a folder with a package.json, adds svc.json, .env.local and a client file. Elsewhere, writes the files of a template.
Supports Vite, Next, Nuxt, Expo and plain Node, and recognizes them by the dependencies in package.json.

Shows the files and lines that it is going to write, and asks. With --yes, writes without showing them. Never overwrites a file. Adds no
svc.json if a folder above has one.`)
  static override examples = [
    '<%= config.bin %> init',
    '<%= config.bin %> init notes --template web',
    '<%= config.bin %> init --ci github --editor vscode,devcontainer',
    '<%= config.bin %> init --template node --yes --json',
  ]
  static override args = { folder: Args.string({ default: '.', description: 'folder of the app' }) }
  static override flags = {
    template: Flags.string({ description: 'template to use: chat, kanban, next, node, react, svelte, vue or web' }),
    ci: Flags.option({
      options: ciKinds,
      description: 'add a CI setup: a GitHub workflow, a GitLab job, or a script for any CI',
    })(),
    editor: Flags.option({
      options: editorKinds,
      multiple: true,
      multipleNonGreedy: true,
      delimiter: ',',
      description: 'add a dev container, or tasks for VS Code',
    })(),
  }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(Init)
    const folder = resolve(args.folder)
    const template = await this.chooseTemplate(folder, flags)
    const emulator = emulatorHere(undefined)
    const { root } = this.config
    const app = template ? undefined : readApp(folder)
    const setup: Setup = { root, folder, template, app, emulator, ci: flags.ci, editors: flags.editor ?? [] }
    const shown = planFiles(setup)

    this.show(shown, setup, { withContent: !flags.yes })
    if (shown.some(({ change }) => change !== 'keep')) await this.confirm('Write these files?', flags)
    // Files may have been added or edited during the prompt.
    const plan = planFiles(setup)
    const others = plan.filter(({ path, change }) => !shown.some((one) => one.path === path && one.change === change))
    for (const line of planLines(others)) this.note(line)
    // The user has just accepted the svc.json that is written here.
    const isNew = template !== undefined && isEmpty(folder)
    for (const file of plan) await writePlanned(file)
    if (isNew) await rememberFolder(folder)
    const runs = app !== undefined && emulator !== undefined && (await isStillThere(emulator, patientMilliseconds))
    const next = nextSteps(setup, args.folder, runs)
    if (next.length > 0) this.note(['', 'Next:', ...next.map((step) => `  ${step}`)].join('\n'))
    this.note(runs ? `.env.local has the address of the running emulator, ${emulator.url}.` : startsLater)
    if (flags.ci && app && !app.hasTests)
      this.note('--ci runs your tests, but package.json has no script "test". Add one before you push.')
    if (app?.startWithEnv) this.note(`To load .env.local, start your app with ${app.startWithEnv}.`)
    return {
      folder,
      template: template?.name ?? null,
      app: app?.kind ?? null,
      files: plan.map(({ path, change }) => ({ path: nearby(path), change })),
      next,
    }
  }

  private show(plan: readonly PlannedFile[], { app, folder }: Setup, { withContent }: { withContent: boolean }): void {
    if (app) this.note(`For ${app.title}:`)
    for (const line of planLines(plan)) this.note(line)
    if (withContent) for (const line of plan.flatMap(contentLines)) this.note(line)
    const above = app && !plan.some(({ path }) => basename(path) === 'svc.json') ? configAbove(folder) : undefined
    if (above !== undefined) this.note(`${nearby(above)} applies here too, so no svc.json is added.`)
  }

  /** Returns undefined if the folder has an app to set up. */
  private async chooseTemplate(
    folder: string,
    flags: { template?: string | undefined; yes: boolean },
  ): Promise<Template | undefined> {
    const templates = readTemplates(this.config.root)
    if (flags.template !== undefined) return requireTemplate(flags.template, templates)
    if (existsSync(join(folder, 'package.json'))) return undefined
    return requireTemplate(await this.askTemplate(templates, flags), templates)
  }

  private async askTemplate(templates: readonly Template[], flags: { yes: boolean }): Promise<string> {
    if (!this.mayAsk(flags)) return 'node'
    const { select } = await import('@inquirer/prompts')
    const choices = templates.map(({ name, title }) => ({ value: name, name: `${name}: ${title}` }))
    return select({ message: 'Which template?', choices }, { output: process.stderr })
  }
}

/** The choices of the user, and what was found in the folder. */
interface Setup {
  /** Folder of the command line, which has the templates. */
  readonly root: string
  readonly folder: string
  readonly template: Template | undefined
  /** Existing app to extend. Undefined with a template. */
  readonly app: AppFolder | undefined
  readonly emulator: EmulatorInfo | undefined
  readonly ci: CiKind | undefined
  readonly editors: readonly EditorKind[]
}

/** @throws {CliFailure} if a template would overwrite an app, or a link is in the way */
function planFiles({ root, folder, template, app, emulator, ci, editors }: Setup): PlannedFile[] {
  const files = app ? planExistingApp(app, emulator) : []
  if (template) files.push(...planTemplate(root, template, folder, emulator))
  // A template names npm in its own package.json.
  const manager = app?.manager ?? detectPackageManager(folder, folder)
  if (ci) files.push(planCi(root, ci, folder, manager))
  const plan = [...files, ...editors.map((kind) => planEditor(root, kind, folder, manager))]
  requireWritable(plan, folder, template)
  return plan
}

/** Returns the commands that start the app. */
function nextSteps({ app, template }: Setup, given: string, runs: boolean): string[] {
  const steps = [...(app?.installs ?? []), ...(app && !runs ? [app.start] : []), ...(template?.next ?? [])]
  return steps.length > 0 && given !== '.' ? [`cd ${shellWord(given)}`, ...steps] : steps
}

function requireTemplate(name: string, templates: readonly Template[]): Template {
  const template = templates.find((known) => known.name === name)
  if (template) return template
  const names = templates.map((known) => known.name)
  const meant = nearest(name, names)
  throw misuse(`No template "${name}".`, meant ? `Did you mean "${meant}"?` : `Use one of ${names.join(', ')}.`)
}

/** Counts a new repository as empty. */
function isEmpty(folder: string): boolean {
  return !existsSync(folder) || readdirSync(folder).every((name) => name === '.git')
}

/** @throws {CliFailure} if a template would overwrite an app, or a link is in the way */
function requireWritable(plan: readonly PlannedFile[], folder: string, template: Template | undefined): void {
  if (template && plan.some(({ path, change }) => change === 'keep' && path.endsWith('package.json'))) {
    throw new CliFailure(
      'NOT_EMPTY',
      exits.invalid,
      `An app already exists in ${folder}.`,
      'Name a new folder: svc init FOLDER. To set up this app, leave --template out.',
    )
  }
  for (const { path, change } of plan) if (change !== 'keep') requireNoLink(path, folder)
}
