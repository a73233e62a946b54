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
    description: `roles that may ${kind}; "authenticated" is every user${kind === 'create' ? '' : ', "owner" who created the document'}`,
    helpValue: 'role',
  })

const fieldsFlag = (what: string) =>
  Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    description: `a field that only the secret key, and the roles behind "=", may ${what}; repeatable`,
    helpValue: 'field[=role,role]',
  })

export default class CollectionsPermissions extends TargetCommand {
  static override summary =
    'Show or set who may create, read, update and delete the documents of a collection, and see which fields.'
  static override description =
    prose(`Without flags it shows them. A flag sets the roles of one kind and leaves the others; --open takes them away again.
What has no roles is open to every holder of a key. "owner" is the user who created the document.

--hidden and --readonly name fields, nested ones as profile.salary, each with the roles that it stays open to; all that are to be in
one command. Hidden fields are left out of everything that others receive, and no filter and no order may ask for them. Read-only
fields are neither set when a document is created nor changed; what a schema says as their default counts.

Managing permissions takes the secret key of the project. On the emulator of the folder you are the owner, and need none.`)
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
      description: 'what is open to every holder of a key',
    })(),
    clear: Flags.boolean({ description: 'take all roles and rules for fields away', exclusive: [...kinds, 'open'] }),
  }

  protected readonly access = ({ flags }: CommandInput) =>
    [...kinds, 'open', 'clear'].some((name) => flags[name]) ? 'write' : 'read'

  async run() {
    const { args, flags } = await this.parse(CollectionsPermissions)
    const wanted = wantedPermissions(flags)
    if (wanted === undefined)
      return this.show(this.told(await (await this.ownerClient(flags)).collections.get(args.collection)))

    await this.confirmWrite(flags, `Set the permissions of "${args.collection}"`)
    const { collections } = await this.ownerClient(flags)
    const before = flags.clear ? {} : this.told(await collections.get(args.collection))
    const changed = await collections.update(args.collection, { permissions: { ...before, ...wanted } })
    return this.show(this.told(changed))
  }

  /** The permissions of a collection, which the service tells callers who may read it. */
  private told({ name, permissions }: Collection): Permissions {
    if (permissions) return permissions
    const { emulator } = this.requireTarget({})
    const other = emulator ? ', or a user who may read it: --as <user>' : ': SVC_API_KEY=svc_secret_…'
    const hint = `Use the secret key of the project${other}`
    throw new CliFailure('FORBIDDEN', exits.notAuthorised, `The permissions of "${name}" are not shown to you.`, hint)
  }

  private show(permissions: Permissions): Permissions {
    this.log(table(permissionKinds.map((kind) => ({ kind, roles: rolesOf(permissions, kind) }))))
    const rules = fieldRuleKinds.flatMap((rule) =>
      Object.entries(permissions[rule] ?? {}).map(([field, roles]) => ({
        ...{ field, rule, 'open to': ['the secret key', ...roles].join(', ') },
      })),
    )
    if (rules.length > 0) this.log(`\n${table(rules)}`)
    return permissions
  }
}

function rolesOf(permissions: Permissions, kind: PermissionKind): string {
  const roles = permissions[kind] ?? []
  return roles.length === 0 ? '(open to any key or user)' : roles.join(', ')
}

type Kind = PermissionKind | FieldRuleKind

type Given = { readonly [Name in Kind]?: readonly string[] | undefined } & {
  readonly open?: readonly Kind[] | undefined
  readonly clear: boolean
}

/** What the flags say; undefined where they say nothing. */
function wantedPermissions(flags: Given): Permissions | undefined {
  const { open = [], clear } = flags
  const both = open.find((kind) => flags[kind] !== undefined)
  if (both) throw misuse(`--open ${both} and --${both} contradict each other.`, 'Give one of them.')
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
    if (field === '') throw misuse(`--${kind} "${text}" names no field.`, `Say which: --${kind} salary=hr`)
    const words = roles.split(',').filter((role) => role !== '')
    fields.set(field, [...(fields.get(field) ?? []), ...words])
  }
  return Object.fromEntries(fields)
}
