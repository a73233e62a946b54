import * as Args from '@oclif/core/args'
import type { GivenSettings } from '../../../client/protocol/control/projects.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { isObject, type JsonObject } from '../../../client/protocol/model/json.js'
import { settingWords } from '../../../client/protocol/model/project.js'
import { misuse, reworded } from '../../base/failure.js'
import { ProjectCommand } from '../../base/project-command.js'
import { readFields, textHint } from '../../documents/fields-args.js'
import { record } from '../../terminal/print.js'

export default class ProjectSet extends ProjectCommand {
  static override summary = "Change settings of the emulator's project."
  static override description = [
    'Write text as dialect=b, and everything else as JSON: requireVerifiedEmail:=true, selfRoles:=\'["seller"]\'. Write a setting of a login provider as idp.IDP_ISSUER=https://…. To remove it: idp.IDP_ISSUER=',
    ...Object.entries(settingWords).map(([name, words]) => `${name}: ${words}`),
  ].join('\n\n')
  static override examples = [
    '<%= config.bin %> project set requireVerifiedEmail:=true',
    '<%= config.bin %> project set tier=standard rateLimit:=\'["minute"]\'',
    '<%= config.bin %> project set idp.IDP_ISSUER=https://accounts.google.com idp.IDP_COMPLETE_URL=',
    '<%= config.bin %> project set appUrl=http://localhost:5173 tokenTtl:=3600 allowedOrigins:=\'["https://app.example"]\'',
  ]
  static override usage = 'project set [SETTING=text] [SETTING:=json]'

  static override args = {
    setting: Args.string({ multiple: true, description: 'dialect=b is text, tokenTtl:=3600 is JSON' }),
  }

  protected readonly access = 'write'

  async run() {
    const { argv, flags } = await this.parse(ProjectSet)
    const words = argv.map(String)
    const settings = withKeys(readFields(words))
    if (Object.keys(settings).length === 0)
      throw misuse('No settings given.', 'Name settings, for example dialect=b. List them: svc project show')
    const { projects, project } = this.projects(flags)
    // The service validates the settings.
    const changed = await projects.update({ project, settings: settings as GivenSettings }).catch((error) => {
      throw explain(error, words)
    })

    this.log(record(changed.settings))
    return changed
  }
}

/** Moves settings such as `idp.IDP_ISSUER` to the settings of the provider. */
function withKeys(fields: JsonObject): JsonObject {
  const isKey = (name: string) => name.startsWith(keyPrefix)
  const named = Object.entries(fields)
  const keys = named.filter(([name]) => isKey(name)).map(([name, value]) => [name.slice(keyPrefix.length), value])
  if (keys.length === 0) return fields
  const others = Object.fromEntries(named.filter(([name]) => !isKey(name)))
  return { ...others, idp: { ...(isObject(others.idp) ? others.idp : {}), ...Object.fromEntries(keys) } }
}

const keyPrefix = 'idp.'

/** Names a refused setting as the user typed it, without its path in the request body. */
function explain(cause: unknown, words: readonly string[]): unknown {
  if (!(cause instanceof SvcError) || cause.code !== 'VALIDATION_ERROR') return cause
  const issues = cause.issues.map((issue) => ({ ...issue, path: issue.path.filter((part) => part !== 'settings') }))
  // An unknown setting has no valid value to suggest.
  const known = issues.filter(({ type }) => type !== 'unrecognized_keys')
  const hint = textHint(words, known) ?? 'List the settings: svc project show'
  return reworded(cause, ({ message }) => ({
    message: message.replaceAll('"settings.', '"').replace('"settings": ', ''),
    hint,
  }))
}
