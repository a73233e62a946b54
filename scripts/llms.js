/**
 * Writes llms.txt and llms-full.txt from the guides, for language models. They ship next to the dashboard, which serves them at
 * `/_svc/llms.txt`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** @param {string} root @param {string} folder */
export function writeLlms(root, folder) {
  const guides = join(root, 'docs', 'guides')
  const index = readFileSync(join(guides, 'README.md'), 'utf8')
  const sections = index
    .slice(index.indexOf('\n## '))
    .replaceAll(/\]\(([\w-]+\.md)\)/g, '](llms-full.txt#$1)')
    .replaceAll(/\]\(\.\.\/[^)]*\)/g, ']')
  const head =
    '# svc\n\n> Develop against a hosted backend with an emulator, a command line, a typed client and a dashboard.\n\n' +
    'The whole text of these guides is in [llms-full.txt](llms-full.txt). `svc map --json` lists every command.\n'
  const names = [...new Set([...index.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, name = '']) => name))]
  const texts = names.map((name) => `<!-- ${name} -->\n\n${readFileSync(join(guides, name), 'utf8').trim()}\n`)
  writeFileSync(join(folder, 'llms.txt'), head + sections)
  writeFileSync(join(folder, 'llms-full.txt'), `${head}\n${texts.join('\n')}`)
}
