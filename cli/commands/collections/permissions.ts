import * as Flags from '@oclif/core/flags'
import type { Control } from '../../../client/control.js'
import { rightsActions } from '../../../client/protocol/model/access/rights-actions.js'
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
import { collectionArg, readJsonObject } from '../../documents/fields-args.js'
import { openOwner } from '../../target/owner.js'
import type { TargetFlags } from '../../target/target.js'
import { table } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

const kinds = [...permissionKinds, ...fieldRuleKinds] as const

const rolesFlag = (kind: PermissionKind) =>
  Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    delimiter: ',',
    description: `roles that may ${kind} documents; "authenticated" means every user${kind === 'create' ? '' : ', "owner" the creator of the document'}, "member:field" the users in that field`,
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
An operation without roles is open to everyone with a key. "owner" is the user who created the document. "member:members" is a user
whose id is in the field "members", and "member:board.members" one in that field of the document that "board" links to.

--hidden and --readonly restrict fields, for example profile.salary, to the roles after "=". Name all such fields in one command. Others
never receive hidden fields, and cannot filter or sort by them. Others cannot set or change read-only fields, which keep their default.

--matrix asks the emulator what each kind of caller may do: nobody, each key, and a user with each permission word. It changes nothing.

You need the secret key of the project, except on the emulator of this folder, where you are the owner.`)
  static override examples = [
    '<%= config.bin %> collections permissions posts',
    '<%= config.bin %> collections permissions posts --read authenticated --update editor,admin --open create',
    '<%= config.bin %> collections permissions people --hidden salary --hidden phone=hr,support --readonly status=editor',
    '<%= config.bin %> collections permissions cards --read member:board.members',
    '<%= config.bin %> collections permissions cards --matrix --user ada@example.com --permissions planned.json',
    '<%= config.bin %> collections permissions posts --clear --json',
  ]
  static override usage = [
    '<%= command.id %> COLLECTION [--create role] [--read role] [--update role] [--delete role] [--hidden field] [--readonly field] [--open kind]',
    '<%= command.id %> COLLECTION --clear',
    '<%= command.id %> COLLECTION --matrix [--document id] [--user user] [--permissions file]',
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
    matrix: Flags.boolean({
      description: 'show what each kind of caller may do, on the emulator of this folder',
      exclusive: [...kinds, 'open', 'clear'],
    }),
    document: Flags.string({
      description: 'document to ask about [default: the newest]',
      helpValue: 'id',
      dependsOn: ['matrix'],
    }),
    user: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      description: 'email or id of a user to ask as; repeatable',
      dependsOn: ['matrix'],
    }),
    permissions: Flags.string({
      description: 'JSON file with permissions to ask about, which are not saved; "-" reads stdin',
      helpValue: 'file',
      dependsOn: ['matrix'],
    }),
  }

  protected readonly access = ({ flags }: CommandInput) =>
    [...kinds, 'open', 'clear'].some((name) => flags[name]) ? 'write' : 'read'

  async run() {
    const { args, flags } = await this.parse(CollectionsPermissions)
    if (flags.matrix) return this.showMatrix(args.collection, flags)
    const wanted = wantedPermissions(flags)
    if (wanted === undefined)
      return this.show(this.requireShown(await (await this.ownerClient(flags)).collections.get(args.collection)))

    await this.confirmWrite(flags, `Set the permissions of "${args.collection}"`)
    const { collections } = await this.ownerClient(flags)
    const before = flags.clear ? {} : this.requireShown(await collections.get(args.collection))
    const changed = await collections.update(args.collection, { permissions: { ...before, ...wanted } })
    return this.show(this.requireShown(changed))
  }

  /** Shows statuses as a table, and below it the reason of each refusal. */
  private async showMatrix(collection: string, flags: MatrixFlags & TargetFlags): Promise<Matrix> {
    const { document, user: users, permissions: file } = flags
    const target = this.requireTarget(flags)
    const permissions = file === undefined ? undefined : await readJsonObject(file)
    const place = { project: target.emulator?.projectId ?? '', collection }
    const matrix = await openOwner(target).rights.ask({
      ...place,
      ...(document === undefined ? {} : { document }),
      ...(users === undefined ? {} : { users }),
      ...(permissions === undefined ? {} : { permissions }),
    })
    this.log(table(matrix.rows.map(formatMatrixRow)))
    this.log(`\n${table(listReasons(matrix))}`)
    if (matrix.document === null) this.note('The collection is empty, so this is about a document without fields.')
    return matrix
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

type Matrix = Awaited<ReturnType<Control['rights']['ask']>>

interface MatrixFlags {
  readonly document?: string | undefined
  readonly user?: string[] | undefined
  readonly permissions?: string | undefined
}

function formatMatrixRow({ kind, name, cells }: Matrix['rows'][number]) {
  const statuses = rightsActions.map((action) => [action, formatStatus(cells[action].status)] as const)
  return { caller: name, kind: kind === name ? '' : kind, ...Object.fromEntries(statuses) }
}

/** A sign stands before the status, so that color is not the only difference. */
function formatStatus(status: number): string {
  return status < 300 ? `✓ ${status}` : `✗ ${status}`
}

/** Lists each reason of a caller once, with the actions that have it. */
function listReasons({ rows }: Matrix) {
  return rows.flatMap(({ name, cells }) => {
    const reasons = new Map<string, string[]>()
    for (const action of rightsActions) {
      const { reason } = cells[action]
      reasons.set(reason, [...(reasons.get(reason) ?? []), action])
    }
    return [...reasons].map(([reason, actions]) => ({ caller: name, actions: actions.join(', '), reason }))
  })
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
