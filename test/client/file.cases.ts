/** How the client stores files, alone and with documents. */
import { type Cases, codeOf, same } from './world.js'

const textFile = (text: string, name = 'note.txt') => new File([text], name, { type: 'text/plain' })

async function textAt(url: string | undefined): Promise<string> {
  return (await fetch(String(url))).text()
}

export const fileCases: Cases = {
  'stores, lists, reads and deletes files': async ({ svc }) => {
    const file = await svc.files.upload(textFile('Hello'), { path: 'letters/' })
    await svc.files.upload(new Blob(['x']), { name: 'x.bin' })

    same([file.name, file.path, file.size, file.mimeType], ['note.txt', 'letters', 5, 'text/plain'])
    same(await (await svc.files.download(file)).text(), 'Hello')
    same(await (await svc.files.download(file.url)).text(), 'Hello')
    const page = await svc.files.list({ path: 'letters' })
    same([page.items, page.total, page.offset], [[file], 1, 0])
    same((await svc.files.list({ limit: 1, offset: 1 })).items, [file])
    const { limitBytes, ...usage } = await svc.files.info()
    same(usage, { files: 2, bytes: 6, tier: 'pro' })
    same(limitBytes, 100 * 2 ** 30)
    same(await svc.files.delete(file.id), { id: file.id })
    same(await codeOf(svc.files.delete(file.id)), 'NOT_FOUND')
    same(await codeOf(svc.files.download(file)), 'NOT_FOUND')
    same(await codeOf(svc.files.upload(textFile('x'), { path: '../x' })), 'INVALID_PATH')
  },

  'sends files in the fields of a document': async ({ svc, posts }) => {
    const created = await posts.create({
      title: 'Sea',
      views: 1,
      cover: textFile('one'),
      pages: [textFile('a'), textFile('b')],
    })
    const { cover, pages = [], views } = created.data

    same(views, 1)
    same([await textAt(cover), await textAt(pages[0]), await textAt(pages[1])], ['one', 'a', 'b'])
    const changed = await posts.update(created.id, { cover: textFile('two'), $remove: { pages: pages[0] ?? '' } })
    same([await textAt(changed.data.cover), changed.data.views], ['two', 1])
    same(changed.data.pages, [pages[1]])
    same(await codeOf(svc.files.download(String(cover))), 'NOT_FOUND')
    const replaced = await posts.replace(created.id, { title: 'Sea', cover: textFile('three') })
    same(await textAt(replaced.data.cover), 'three')
    same(await codeOf(posts.update(created.id, { cover: textFile('x') }, { ifMatch: 1 })), 'CONFLICT')
  },

  'sends a picture with the changes of a user': async ({ svc }) => {
    await svc.auth.signUp({
      email: `ada.${Math.random()}@example.com`,
      password: 'Correct4Horse',
      data: { tags: ['a'] },
    })
    const changes = { data: { bio: 'Hi', avatar: textFile('face') }, append: { tags: 'b' } }

    const { data } = await svc.auth.update(changes)
    const { avatar, ...rest } = data as { avatar?: string }

    same(rest, { bio: 'Hi', tags: ['a', 'b'] })
    same(await textAt(avatar), 'face')
  },

  'tells how much of a file has been sent, and of how much': async ({ svc }) => {
    const bytes = 3_000_000
    const heard: number[] = []
    const totals = new Set<number>()

    const file = await svc.files.upload(new Blob([new Uint8Array(bytes)]), {
      name: 'zeros.bin',
      onProgress(sentBytes, totalBytes) {
        heard.push(sentBytes)
        totals.add(totalBytes)
      },
    })
    const refused = svc.files.upload(textFile('x'), { path: '..', onProgress: () => undefined })

    same([file.size, file.name], [bytes, 'zeros.bin'])
    same(
      heard,
      [...heard].sort((one, other) => one - other),
    )
    same([heard.at(-1), ...totals], [bytes, bytes])
    same(await codeOf(refused), 'INVALID_PATH')
  },

  'gives an upload up when its signal aborts': async ({ svc }) => {
    const signal = AbortSignal.abort()
    const bytes = new Blob([new Uint8Array(1_000_000)])

    same((await codeOf(svc.files.upload(bytes, { signal })))?.includes('Abort'), true)
    same((await codeOf(svc.files.upload(bytes, { signal, onProgress: () => undefined })))?.includes('Abort'), true)
    same((await svc.files.info()).files, 0)
  },
}
