/** The pages of a package, as it is installed. */
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import type { Installed, PackageName } from '../fixtures/packages/packages.js'

export function linksCases(name: PackageName, project: () => Installed): void {
  it('leads by each relative link of its pages to a file that is packed with them', async () => {
    const folder = join(project().folder, 'node_modules', name)
    const packed = (await readdir(folder, { recursive: true })).filter((file) => !file.startsWith('node_modules'))
    const pages = packed.filter((file) => file.endsWith('.md'))

    const lost: string[] = []
    for (const page of pages) {
      const text = await readFile(join(folder, page), 'utf8')
      for (const [, link = ''] of text.matchAll(/(?:\]\(|\bsrc(?:set)?=")([^\s)"#]+)/g)) {
        const file = join(dirname(page), link).replace(/\/$/, '')
        if (!/^[a-z]+:/.test(link) && !packed.includes(file)) lost.push(`${page}: ${link}`)
      }
    }

    expect(pages).toContain('README.md')
    if (name === 'svc-toolkit') expect(pages).toContain('docs/guides/add-to-your-app.md')
    expect(lost).toEqual([])
  })

  it.runIf(name === 'svc-toolkit')('lists each guide in the index of the guides, once', async () => {
    const guides = join(project().folder, 'node_modules', name, 'docs/guides')
    const index = await readFile(join(guides, 'README.md'), 'utf8')

    const listed = [...index.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)

    const files = (await readdir(guides)).filter((file) => file !== 'README.md')
    expect(listed.sort()).toEqual(files.sort())
    expect(files.length).toBeGreaterThan(20)
  })
}
