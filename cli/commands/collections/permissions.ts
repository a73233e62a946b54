import * as Flags from '@oclif/core/flags'
import {
  type Collection,
  type PermissionKind,
  type Permissions,
  permissionKinds,
} from '../../../client/protocol/model/collection.js'
import { CliFailure, exits, misuse } from '../../base/failure.js'
import { type Client, TargetCommand } from '../../base/target-command.js'
import { collectionArg } from '../../documents/fields-args.js'
import { withSecretKey } from '../../target/owner.js'
import type { TargetFlags } from '../../target/target.js'
import { table } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

const rolesFlag = (kind: PermissionKind) =>
  Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    delimiter: ',',
    description: `roles that may ${kind}; "authenticated" is every user${kind === 'create' ? '' : ', "owner" who created the document'}`,
    helpValue: 'role',
  })

export default class CollectionsPermissions extends TargetCommand {
  static override summary = 'Show or set who may create, read, update and delete the documents of a collection.'
  static override description =
    prose(`Without flags it shows them. A flag sets the roles of one kind and leaves the others; --open takes them away again.
What has no roles is open to whoever has a key. "owner" is whoever created a document by a user token.

Managing permissions takes the secret key of the project. On the emulator of the folder you are the owner, and need none.`)
  static override examples = [
    '<%= config.bin %> collections permissions posts',
    '<%= config.bin %> collections permissions posts --read authenticated --update editor,admin --open create',
    '<%= config.bin %> collections permissions posts --clear --json',
  ]
  static override args = { collection: collectionArg }
  static override flags = {
    create: rolesFlag('create'),
    read: rolesFlag('read'),
    update: rolesFlag('update'),
    delete: rolesFlag('delete'),
    open: Flags.option({
      options: permissionKinds,
      multiple: true,
      multipleNonGreedy: true,
      delimiter: ',',
      description: 'what is open to whoever has a key',
    })(),
    clear: Flags.boolean({ description: 'take all roles away', exclusive: [...permissionKinds, 'open'] }),
  }

  async run() {
    const { args, flags } = await this.parse(CollectionsPermissions)
    const wanted = wantedPermissions(flags)
    if (wanted === undefined)
      return this.show(toldOf(await this.manager(flags, (client) => client.collections.get(args.collection))))

    await this.clientForWrite(flags, `Set the permissions of "${args.collection}"`)
    const changed = await this.manager(flags, async ({ collections }) => {
      const before = flags.clear ? {} : toldOf(await collections.get(args.collection))
      return collections.update(args.collection, { permissions: { ...before, ...wanted } })
    })
    return this.show(toldOf(changed))
  }

  /** Works with the secret key: on an emulator with one of its owner, unless a key was given. */
  private manager<Value>(flags: TargetFlags, work: (client: Client) => Promise<Value>): Promise<Value> {
    const target = this.requireTarget(flags)
    const isOwner = target.emulator !== undefined && target.key === target.emulator.apiKey && flags.as === undefined
    if (!isOwner) return work(this.client(flags))
    return withSecretKey(target, (apiKey) => work(this.client(flags, { apiKey })))
  }

  private show(permissions: Permissions): Permissions {
    this.log(table(permissionKinds.map((kind) => ({ kind, roles: rolesOf(permissions, kind) }))))
    return permissions
  }
}

function rolesOf(permissions: Permissions, kind: PermissionKind): string {
  const roles = permissions[kind] ?? []
  return roles.length === 0 ? '(open to any key or user)' : roles.join(', ')
}

type Given = { readonly [Kind in PermissionKind]?: readonly string[] | undefined } & {
  readonly open?: readonly PermissionKind[] | undefined
  readonly clear: boolean
}

/** What the flags say; undefined where they say nothing. */
function wantedPermissions(flags: Given): Permissions | undefined {
  const { open = [], clear } = flags
  const both = open.find((kind) => flags[kind] !== undefined)
  if (both) throw misuse(`--open ${both} and --${both} contradict each other.`, 'Give one of them.')
  const named = permissionKinds.filter((kind) => flags[kind] !== undefined || open.includes(kind))
  if (named.length === 0 && !clear) return undefined
  return Object.fromEntries(named.map((kind) => [kind, flags[kind] ?? []]))
}

/** The permissions of a collection, which the service tells callers who may read it. */
function toldOf({ name, permissions }: Collection): Permissions {
  if (permissions) return permissions
  const hint = 'Use the secret key of the project, or a user who may read it: --as <user>'
  throw new CliFailure('FORBIDDEN', exits.notAuthorised, `The permissions of "${name}" are not shown to you.`, hint)
}
