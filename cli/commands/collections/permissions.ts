import * as Flags from '@oclif/core/flags'
import {
  type Collection,
  type FieldRoles,
  type FieldRuleKind,
  fieldRuleKinds,
  type PermissionKind,
  type Permissions,
  permissionKinds,
} from '../../../client/protocol/model/collection.js'
import { CliFailure, exits, misuse } from '../../base/failure.js'
import type { CommandInput } from '../../base/service-command.js'
import { TargetCommand } from '../../base/target-command.js'
import { collectionArg } from '../../documents/fields-args.js'
import { table } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

const kinds = [...permissionKinds, ...fieldRuleKinds] as const

const rolesFlag = (kind: PermissionKind) =>
  Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    delimiter: ',',
    description: `roles that may ${kind} documents; "authenticated" means every user${kind === 'create' ? '' : ', "owner" the creator of the document'}`,
    helpValue: 'role',
  })

const fieldsFlag = (what: string) =>
  Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    description: `field that only the secret key and the roles after "=" may ${what}; repeatable`,
    helpValue: 'field[=role,role]',
  })

export default class CollectionsPermissions extends TargetCommand {
  static override summary = 'Show or set the permissions of a collection.'
  static override description =
    prose(`Shows the permissions, unless you pass flags. A flag sets the roles of one operation and keeps the others. --open removes them.
An operation without roles is open to everyone with a key. "owner" is the user who created the document.

--hidden and --readonly restrict fields, for example profile.salary, to the roles after "=". Name all such fields in one command. Others
never receive hidden fields, and cannot filter or sort by them. Others cannot set or change read-only fields, which keep their default.

You need the secret key of the project, except on the emulator of this folder, where you are the owner.`)
  static override examples = [
    '<%= config.bin %> collections permissions posts',
    '<%= config.bin %> collections permissions posts --read authenticated --update editor,admin --open create',
    '<%= config.bin %> collections permissions people --hidden salary --hidden phone=hr,support --readonly status=editor',
    '<%= config.bin %> collections permissions posts --clear --json',
  ]
  static override args = { collection: collectionArg }
  static override flags = {
    create: rolesFlag('create'),
    read: rolesFlag('read'),
    update: rolesFlag('update'),
    delete: rolesFlag('delete'),
    hidden: fieldsFlag('read'),
    readonly: fieldsFlag('set and change'),
    open: Flags.option({
      options: kinds,
      multiple: true,
      multipleNonGreedy: true,
      delimiter: ',',
      description: 'operations and field rules to open to everyone with a key',
    })(),
    clear: Flags.boolean({ description: 'remove all roles and field rules', exclusive: [...kinds, 'open'] }),
  }

  protected readonly access = ({ flags }: CommandInput) =>
    [...kinds, 'open', 'clear'].some((name) => flags[name]) ? 'write' : 'read'

  async run() {
    const { args, flags } = await this.parse(CollectionsPermissions)
    const wanted = wantedPermissions(flags)
    if (wanted === undefined)
      return this.show(this.requireShown(await (await this.ownerClient(flags)).collections.get(args.collection)))

    await this.confirmWrite(flags, `Set the permissions of "${args.collection}"`)
    const { collections } = await this.ownerClient(flags)
    const before = flags.clear ? {} : this.requireShown(await collections.get(args.collection))
    const changed = await collections.update(args.collection, { permissions: { ...before, ...wanted } })
    return this.show(this.requireShown(changed))
  }

  /** Returns the permissions, which the service shows only to callers who may read the collection. */
  private requireShown({ name, permissions }: Collection): Permissions {
    if (permissions) return permissions
    const { emulator } = this.requireTarget({})
    const other = emulator ? ', or a user who may read it: --as <user>' : ': SVC_API_KEY=svc_secret_…'
    const hint = `Use the secret key of the project${other}`
    throw new CliFailure('FORBIDDEN', exits.notAuthorised, `You may not see the permissions of "${name}".`, hint)
  }

  private show(permissions: Permissions): Permissions {
    this.log(table(permissionKinds.map((kind) => ({ kind, roles: formatRoles(permissions, kind) }))))
    const rules = fieldRuleKinds.flatMap((rule) =>
      Object.entries(permissions[rule] ?? {}).map(([field, roles]) => ({
        ...{ field, rule, 'open to': ['the secret key', ...roles].join(', ') },
      })),
    )
    if (rules.length > 0) this.log(`\n${table(rules)}`)
    return permissions
  }
}

function formatRoles(permissions: Permissions, kind: PermissionKind): string {
  const roles = permissions[kind] ?? []
  return roles.length === 0 ? '(open to everyone with a key)' : roles.join(', ')
}

type Kind = PermissionKind | FieldRuleKind

type PermissionFlags = { readonly [Name in Kind]?: readonly string[] | undefined } & {
  readonly open?: readonly Kind[] | undefined
  readonly clear: boolean
}

/** Reads the permissions from the flags. Returns undefined without flags. */
function wantedPermissions(flags: PermissionFlags): Permissions | undefined {
  const { open = [], clear } = flags
  const both = open.find((kind) => flags[kind] !== undefined)
  if (both) throw misuse(`--open ${both} cannot be combined with --${both}.`, 'Leave out one of them.')
  const named = kinds.filter((kind) => flags[kind] !== undefined || open.includes(kind))
  if (named.length === 0 && !clear) return undefined
  const isOfFields = (kind: Kind) => fieldRuleKinds.some((rule) => rule === kind)
  return Object.fromEntries(
    named.map((kind) => [kind, isOfFields(kind) ? fieldRolesIn(kind, flags[kind] ?? []) : (flags[kind] ?? [])]),
  )
}

function fieldRolesIn(kind: Kind, given: readonly string[]): FieldRoles {
  const fields = new Map<string, readonly string[]>()
  for (const text of given) {
    const [field = '', roles = ''] = text.split('=', 2)
    if (field === '') throw misuse(`--${kind} "${text}" has no field.`, `Name one: --${kind} salary=hr`)
    const words = roles.split(',').filter((role) => role !== '')
    fields.set(field, [...(fields.get(field) ?? []), ...words])
  }
  return Object.fromEntries(fields)
}
