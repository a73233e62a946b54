/**
 * Takes the pictures of the README and the guides. To write them again:
 * `PICTURES=docs npx vitest run --config vitest.full.config.ts test/full/pictures.test.ts`
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dashboardAddress } from '../../cli/target/dashboard-address.js'
import { bin, cleanEnv, openWorld, type World } from '../cli/command-line.js'
import { type OpenBrowser, openChromium } from '../fixtures/chromium.js'

let world: World
let chromium: OpenBrowser
beforeAll(async () => {
  world = await openWorld()
  chromium = await openChromium()
})
afterAll(async () => {
  await chromium.close()
  await world.close()
})

it('records a terminal and the dashboard of svc dev --demo', async () => {
  const dev = start('dev', '--demo', '--port', '0')
  const started = await untilPrinted(dev, /Ctrl-C[^\n]*\n/)
  const session = [
    ['svc dev --demo', started],
    await typed('docs list posts --where views__gte=400 --sort -views --columns title,status,views'),
    await typed('docs create posts title=Hello views:=1'),
  ] as const

  await keep('pictures/terminal.svg', Buffer.from(svgOf(session)))
  await takeDashboard()

  dev.kill()
  expect((await dev).exitCode).toBe(0)
})

function start(...words: string[]) {
  const env = { ...cleanEnv(world.folder), FORCE_COLOR: '1' }
  return execa(process.execPath, [bin, ...words], {
    cwd: world.folder,
    env,
    extendEnv: false,
    all: true,
    reject: false,
  })
}

function untilPrinted(child: ReturnType<typeof start>, end: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.all.on('data', (piece) => {
      text += piece
      if (end.test(text)) resolve(text)
    })
    child.then(() => reject(new Error(`svc dev ended: ${text}`)), reject)
  })
}

async function typed(words: string): Promise<readonly [command: string, printed: string]> {
  const { exitCode, stdout, stderr } = await start(...words.split(' '))
  expect(exitCode, stderr).toBe(0)
  return [`svc ${words}`, stdout]
}

async function takeDashboard(): Promise<void> {
  const info = JSON.parse(await readFile(join(world.folder, '.svc/emulator.json'), 'utf8'))
  const { items } = (await world.json(['docs', 'list', 'posts', '--where', 'views=685'])) as { items: { id: string }[] }
  const page = await chromium.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: 'light' })
  await page.goto(dashboardAddress(info, 'data', `posts/${items[0]?.id}`))
  await page.locator('.pane-facts').waitFor()
  await page.locator('.form .f, .cm-line').first().waitFor()
  await keep('dashboard/data-light.png', await page.screenshot())

  await page.goto(dashboardAddress(info, 'console'))
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('select title, status, views, created_at from posts order by views desc limit 20 ')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('cell').first().waitFor()
  await keep('dashboard/console-light.png', await page.screenshot())
}

async function keep(name: string, picture: Buffer): Promise<void> {
  expect(picture.length).toBeLessThan(200_000)
  if (process.env.PICTURES === undefined) return
  const path = join(process.env.PICTURES, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, picture)
}

const styles: Readonly<Record<string, string>> = {
  ...{ 1: 'font-weight="bold"', 2: 'opacity="0.6"', 31: 'fill="#ff8080"', 32: 'fill="#7ee787"' },
  ...{ 33: 'fill="#e3b341"', 34: 'fill="#79c0ff"', 35: 'fill="#d2a8ff"', 36: 'fill="#76e3ea"', 90: 'opacity="0.6"' },
}

function svgOf(session: readonly (readonly [command: string, printed: string])[]): string {
  const lines = session.flatMap(([command, printed]) => `\x1b[32m$\x1b[39m ${command}\n${printed.trim()}\n`.split('\n'))
  const rows = lines.map((line, at) => `<text x="20" y="${38 + at * 20}" xml:space="preserve">${spans(line)}</text>`)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="880" height="${40 + lines.length * 20}" font-family="monospace" font-size="14" fill="#e6edf3">
<rect width="100%" height="100%" rx="8" fill="#161b22"/>
${rows.join('\n')}
</svg>
`
}

/** Turns the colors of a terminal into elements, and cuts secrets out. Each code ends the one before: this output nests none. */
function spans(line: string): string {
  const text = line.replaceAll(/(svc_secret_|token=)[\w-]+/g, '$1…')
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const [plain, ...colored] = escaped.split('\x1b[')
  const styled = colored.map((part) => {
    const [, code = '', words = ''] = /^(\d+)m(.*)$/.exec(part) ?? []
    return code in styles ? `<tspan ${styles[code]}>${words}</tspan>` : words
  })
  return [plain, ...styled].join('')
}
