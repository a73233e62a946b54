/** How long it takes until a saved `svc.config.ts` is in effect. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endsWithBench, svcCommand } from '../tools/child.js'
import { inTurns } from '../tools/rounds.js'

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-settings-'))
  await save(folder, 1_000)
  const child = endsWithBench(
    spawn(process.execPath, [svcCommand, 'dev', '--memory', '--port', '0', '--json'], {
      cwd: folder,
      env: { ...process.env, SVC_TRUST_CODE: '1', SVC_CONFIG_DIR: join(folder, 'config') },
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )
  const [first] = await once(child.stdout, 'data')
  const { url, controlToken } = JSON.parse(String(first).split('\n')[0] ?? '')
  const headers = { 'svc-control-token': controlToken }
  let seconds = 1_000
  const { saved } = await inTurns(
    {
      async saved() {
        const begunAt = performance.now()
        await save(folder, ++seconds)
        for (;;) {
          const { settings } = await (await fetch(`${url}/_svc/api/projects/dev`, { headers })).json()
          if (settings.tokenTtl === seconds) return performance.now() - begunAt
        }
      },
    },
    { rounds: 15, warmUps: 2 },
  )
  child.kill()
  await once(child, 'exit')
  return [
    {
      what: 'a saved `svc.config.ts` in effect',
      against: 'nothing: a limit',
      values: saved,
      target: { atMost: 300 },
      unit: 'ms',
    },
  ]
}

/** As editors do: beside the file, and in its place. @param {string} folder @param {number} tokenTtl */
async function save(folder, tokenTtl) {
  const draft = join(folder, 'draft')
  await writeFile(draft, `export default { settings: { tokenTtl: ${tokenTtl} as number } }\n`)
  await rename(draft, join(folder, 'svc.config.ts'))
}
