import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterEach, expect, test } from 'vitest'
import { cleanEnv, hungMilliseconds, openWorld, type World } from './command-line.js'
import { defineShellFunction } from './warm/shell-function.js'

// Guides whose commands make one script, run in a shell unchanged, in a folder that has an emulator.

const guides = fileURLToPath(new URL('../../docs/guides/', import.meta.url))

let world: World
afterEach(() => world.close())

/** Expected output at the end of a guide's script. */
const scripts: readonly (readonly [guide: string, said: RegExp])[] = [
  ['mail.md', /https:\/\/app\.example\/reset-password\?token=[\w-]{43}\n$/],
  ['login-provider.md', /"oauth_id": "grace"/],
  ['files.md', /backup\/covers\/cover\.png\nfiles +2\nused +46 bytes\n/],
  ['add-to-your-app.md', /Live[\s\S]*Hello[\s\S]*\n200\n$/],
  ['keys-and-permissions.md', /The key alone may not\.\n[\s\S]*Hello/],
  ['limits.md', /documentFiles +tier\n/],
  ['testing.md', /^http:\/\/127\.0\.0\.1:\d+\n$/],
  ['seeds.md', /\n22\n$/],
  ['finding-out-why.md', /list\(\{ where: \{ title: \{ icontains: 'Hel' \} \}, sort: '-createdAt', limit: 5 \}\)\n$/],
  ['simulating-trouble.md', /fine\n[\s\S]*f1 +status 503 [\s\S]*\n1\n$/],
  [
    'model-your-data.md',
    /At least 1\.\n[\s\S]*Taken\.\n[\s\S]*exit 10\n[\s\S]*interface Card extends Defaults<'state'> \{/,
  ],
  ['types.md', /\+ {2}rating\?: number\n[\s\S]*exit 10\n[\s\S]*"name" is not of type "string"/],
  ['events.md', /request\.refused[\s\S]*\nlogin\.failed\n[\s\S]*- views: 1\n\+ views: 2\n$/],
  ['parity.md', /mends (\d+) of \1 differences[\s\S]*\n100% the same, 100% of the cases compared/],
  ['pull-and-push.md', /exit 10\n[\s\S]*redacted-[0-9a-f]{12} +\S/],
  [
    'hosted-service.md',
    /passedOver +profile live\n[\s\S]*exit 2\n[\s\S]*\n-> 127\.0\.0\.1:\d+ \(profile live\)\nexit 2\n/,
  ],
  ['clock.md', /too late\nnow +\S+\nahead +0s\n$/],
]

/** Guides that change what the projects of an emulator share: its clock, faults, mail and accounts of the provider. */
const needsItsOwn = ['clock.md', 'simulating-trouble.md', 'mail.md', 'login-provider.md']

test.each(scripts)('%s', async (guide, said) => {
  world = await openWorld()
  await (needsItsOwn.includes(guide) ? world.dev('--memory') : world.useEmulator())

  const env = cleanEnv(world.folder)
  const svc = await defineShellFunction(env)

  const script = `${svc}\n${await scriptOf(guide)}`
  const { exitCode, stdout, stderr } = await execa('bash', ['-eu', '-o', 'pipefail', '-c', script], {
    cwd: world.folder,
    env,
    extendEnv: false,
    input: '',
    reject: false,
    timeout: hungMilliseconds,
    stripFinalNewline: false,
  })

  expect(exitCode, stderr).toBe(0)
  expect(stdout).toMatch(said)
})

async function scriptOf(guide: string): Promise<string> {
  const markdown = await readFile(join(guides, guide), 'utf8')
  return [...markdown.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text).join('')
}
