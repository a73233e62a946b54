/** Starts Chromium: the one that `CHROMIUM_PATH` names, or the one that came with the packages. */
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress } from 'node:zlib'

/**
 * Starts it without a window. Unpacked by ourselves: the package's own way leaves files where other runs find them
 * half written, and its flags turn off the web security that the tests are about.
 */
export async function startChromium() {
  const { CHROMIUM_PATH: named } = process.env
  const folder = await mkdtemp(join(tmpdir(), 'svc-chromium-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    // Loaded lazily, as is the browser.
    const { chromium } = await import('playwright-core')
    if (named === undefined) await unpack(folder)
    const server = await chromium.launchServer({
      ...{ host: '127.0.0.1', args: ['--no-sandbox', '--disable-gpu'] },
      executablePath: named ?? join(folder, 'chromium'),
      env: named === undefined ? ownEnvironment(folder) : undefined,
    })
    return { address: server.wsEndpoint(), close: () => server.close().finally(remove) }
  } catch (error) {
    await remove()
    throw error
  }
}

/**
 * The packaged libraries belong together, so they precede the machine's own.
 *
 * @param {string} folder @returns {Record<string, string>}
 */
function ownEnvironment(folder) {
  const { PATH = '', LD_LIBRARY_PATH = '' } = process.env
  const libraries = [join(folder, 'lib'), LD_LIBRARY_PATH].filter((path) => path !== '').join(':')
  return { PATH, HOME: folder, FONTCONFIG_PATH: folder, LD_LIBRARY_PATH: libraries }
}

/** The program, its fonts, and the libraries that a machine without a desktop lacks. @param {string} folder */
async function unpack(folder) {
  const packages = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..', '..', 'bin')
  /** @param {string} name */
  const packed = (name) => createReadStream(join(packages, name)).pipe(createBrotliDecompress({ chunkSize: 2 ** 20 }))
  const { unpackTar } = await import('modern-tar/fs')
  await Promise.all([
    pipeline(packed('chromium.br'), createWriteStream(join(folder, 'chromium'), { mode: 0o700 })),
    pipeline(packed('al2023.tar.br'), unpackTar(folder)),
    pipeline(packed('fonts.tar.br'), unpackTar(folder)),
  ])
  // The packaged one names other folders, and a page with a text field crashes without a font.
  await writeFile(join(folder, 'fonts.conf'), `<fontconfig><dir>${join(folder, 'fonts')}</dir></fontconfig>`)
}
