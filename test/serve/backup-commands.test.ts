/** Commands of the guide for operators that reach a database by its address. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, it, onTestFinished } from 'vitest'
import { endsByItself } from '../fixtures/patience.js'

it('commands for backup and restore fail where the address is not set, and reach no default database', async () => {
  const guide = await readFile(new URL('../../docs/guides/serve-operations.md', import.meta.url), 'utf8')
  const commands = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, text = '']) =>
    /pg_dump|pg_restore|psql/.test(text) ? [text] : [],
  )
  const folder = await mkdtemp(join(tmpdir(), 'svc-tools-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const name of ['pg_dump', 'pg_restore', 'psql', 'createdb']) {
    await writeFile(join(folder, name), '#!/bin/sh\n[ "$(basename "$0")" = createdb ] || echo called\n', {
      mode: 0o755,
    })
  }
  const env = { PATH: `${folder}:${process.env.PATH}` }

  const ran = await Promise.all(
    commands.map((text) =>
      execa('bash', ['-c', text], { cwd: folder, env, extendEnv: false, reject: false, ...endsByItself }),
    ),
  )

  expect(ran.map(({ exitCode, stdout }) => [exitCode !== 0, stdout])).toEqual(Array(3).fill([true, '']))
})
