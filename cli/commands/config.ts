import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SvcCommand } from '../base/svc-command.js'
import { findEmulatorFile } from '../target/emulator-file.js'
import { configFolder, maskKey, profilesFile, readProfiles } from '../target/profiles.js'
import { findProjectFile } from '../target/project-file.js'
import { table } from '../terminal/print.js'
import { withoutPassword } from '../terminal/secrets.js'

const variables = [
  'SVC_URL',
  'SVC_API_KEY',
  'SVC_PROFILE',
  'SVC_DIALECT',
  'SVC_CONFIG_DIR',
  'SVC_TRUST_CODE',
  'SVC_YES',
  'NO_COLOR',
  'FORCE_COLOR',
  'CI',
]

const masks: { readonly [variable: string]: ((value: string) => string) | undefined } = {
  SVC_API_KEY: maskKey,
  SVC_URL: withoutPassword,
}

export default class Config extends SvcCommand {
  static override summary = 'Show the active settings and where each is set.'
  static override description = 'Order of precedence: flags, environment, running emulator, svc.json, default profile.'
  static override examples = ['<%= config.bin %> config', '<%= config.bin %> config --json']

  protected readonly access = 'read'

  async run() {
    await this.parse(Config)
    const found = findProjectFile()
    const project = found?.url === undefined ? found : { ...found, url: withoutPassword(found.url) }
    const { current, profiles } = readProfiles()
    const environment = Object.fromEntries(
      variables.flatMap((name) => {
        const value = process.env[name]
        return value === undefined ? [] : [[name, masks[name]?.(value) ?? value]]
      }),
    )
    const settings = {
      environment,
      projectFile: project
        ? {
            path: project.path,
            url: project.url,
            profile: project.profile,
            dialect: project.dialect,
            remote: project.remote,
          }
        : null,
      profilesFile: existsSync(profilesFile()) ? profilesFile() : null,
      profile: current ?? null,
      profiles: Object.keys(profiles),
      emulatorFile: findEmulatorFile() ?? null,
      importStates: join(configFolder(), 'imports'),
    }
    const rows = [
      ...Object.entries(environment).map(([name, value]) => ({ setting: name, value, from: 'environment' })),
      ...(project
        ? (['url', 'profile', 'dialect', 'remote'] as const).flatMap((name) =>
            project[name] === undefined ? [] : [{ setting: name, value: project[name], from: project.path }],
          )
        : []),
      ...(current ? [{ setting: 'profile', value: current, from: profilesFile() }] : []),
      ...(settings.emulatorFile ? [{ setting: 'emulator', value: settings.emulatorFile, from: 'svc dev' }] : []),
    ]
    if (rows.length === 0) this.note('Nothing is set. Start an emulator: svc dev. Or add a service: svc profiles add')
    else this.log(table(rows, { whole: ['value', 'from'] }))
    return settings
  }
}
