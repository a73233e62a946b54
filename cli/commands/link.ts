import { resolve } from 'node:path'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { CliFailure, exits, misuse } from '../base/failure.js'
import { ServiceCommand } from '../base/service-command.js'
import type { Named } from '../base/svc-command.js'
import { completeDialect } from '../dialects/complete.js'
import { detectForms } from '../dialects/detect-forms.js'
import { readIfExists } from '../files/read-if-exists.js'
import { readText } from '../files/read-text.js'
import { replaceWhole } from '../files/replace-whole.js'
import { askKey } from '../target/ask-key.js'
import {
  changeProfiles,
  maskKey,
  type Profiles,
  profilesFile,
  readProfiles,
  requireProfileName,
} from '../target/profiles.js'
import { findProjectFile } from '../target/project-file.js'
import { requireEncrypted, type TargetFlags } from '../target/target.js'
import { accept } from '../target/trust.js'
import { prose } from '../terminal/prose.js'

export default class Link extends ServiceCommand {
  static override summary = 'Link this folder to a hosted service.'
  static override description =
    prose(`Detects the dialect of the service with reads only, saves its address, key and dialect as a profile, and names the profile in
svc.json as "remote". Reads the key from stdin, or asks at a terminal.

Only svc pull, push and diff use the link, and commands with --remote. All other commands keep their target.`)
  static override examples = [
    '<%= config.bin %> link https://api.example.com < key.txt',
    '<%= config.bin %> link https://api.example.com --name live --collection posts',
  ]
  static override args = { address: Args.string({ required: true, description: 'address of the service' }) }
  static override flags = {
    name: Flags.string({ description: 'name of the profile [default: the host]' }),
    collection: Flags.string({
      description: 'existing collection to read, if the service does not list any; some services create missing ones',
    }),
    insecure: Flags.boolean({ description: 'allow an http:// address of another machine; sends the key unencrypted' }),
    replace: Flags.boolean({ description: 'replace a profile that has another address' }),
  }

  protected readonly access = 'read'

  protected override targetOfArgs({ address }: Named): TargetFlags {
    return typeof address === 'string' ? { url: address } : {}
  }

  async run() {
    const { args, flags } = await this.parse(Link)
    if (flags.remote || flags.profile) throw misuse('svc link takes an address.', 'Name the profile with --name.')
    const { url, withheld } = this.requireTarget({ url: args.address })
    if (!flags.insecure) requireEncrypted(url)
    const name = flags.name ?? new URL(url).host.replaceAll(/[^\w.-]/g, '-')
    requireProfileName(name)
    if (!flags.replace) requireSameAddress(name, url, readProfiles())
    const key = flags.key ?? ((await this.readKey(flags)) || (withheld ? undefined : process.env.SVC_API_KEY))
    if (!key) throw misuse('No API key.', 'Pass it on stdin: svc link https://api.example.com < key.txt')
    const findings = await detectForms({ url, key, collection: flags.collection, fetch: this.guarded() })
    const { text: dialect, assumed } = completeDialect(url, findings)
    await changeProfiles((now) => {
      if (!flags.replace) requireSameAddress(name, url, now)
      return { ...now, profiles: { ...now.profiles, [name]: { url, key, dialect } } }
    })
    const path = findProjectFile()?.path ?? resolve('svc.json')
    await writeRemote(path, name)
    await accept({ path, url, profile: name })

    this.note(`Linked ${path} to ${url} as profile "${name}", dialect ${dialect}. The key is in ${profilesFile()}.`)
    if (assumed.length > 0) this.note(`No response showed ${assumed.join(', ')}. Pass --collection to detect more.`)
    return { url, profile: name, key: maskKey(key), dialect, assumed, path }
  }

  private async readKey(flags: { yes: boolean }): Promise<string | undefined> {
    if (this.mayAsk(flags)) return askKey()
    return process.stdin.isTTY ? undefined : (await readText('-')).trim()
  }
}

/** Keeps a profile that leads elsewhere. Linking to the same address again renews its key. */
function requireSameAddress(name: string, url: string, { profiles }: Profiles): void {
  const known = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (!known || known.url === url) return
  const message = `Profile "${name}" leads to ${known.url}.`
  throw new CliFailure('PROFILE_EXISTS', exits.invalid, message, 'Choose another --name, or pass --replace.')
}

async function writeRemote(path: string, profile: string): Promise<void> {
  // Loads on demand, because a refused link needs no editor of JSON.
  const { editJson } = await import('../files/edit-json.js')
  await replaceWhole(path, editJson(readIfExists(path) ?? '{}\n', ['remote'], profile))
}
