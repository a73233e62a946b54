import { expect, test } from 'vitest'
import { createWithFiles, filesOf, read, sendForm, upload } from '../../fixtures/files.js'
import { fileOf, textOf } from '../../fixtures/requests/form.js'
import { send } from '../../fixtures/requests/http.js'
import { service } from '../../fixtures/service.js'
import { aWorld, expectFailure, expectStatus, inDialects, someDocuments } from '../../fixtures/wires.js'

inDialects(
  'Public addresses of files',
  (wire) => {
    test('FIL-05 the bytes are what was sent, with their type, and no key is asked for', async () => {
      const { api } = await aWorld(wire)
      const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 7) % 256))
      const { url } = await upload(wire, api, { name: 'file', filename: 'a.png', type: 'image/png', content: bytes })

      const answer = await fetch(url)

      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
      expect(answer.headers.get('content-type')).toBe('image/png')
      expect(answer.headers.get('content-length')).toBe('100000')
    })

    test('FIL-05 a file of no bytes is a file', async () => {
      const { api } = await aWorld(wire)
      const { url, size } = await upload(wire, api, fileOf('file', ''))

      const [answer, part] = [await read(url), await read(url, { range: 'bytes=0-' })]

      expect([size, answer.status, answer.text, answer.headers['content-length']]).toEqual([0, 200, '', '0'])
      expect(part.status).toBe(416)
    })

    const ranges: readonly (readonly [
      range: string,
      status: number,
      text: string,
      contentRange: string | undefined,
    ])[] = [
      ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
      ['bytes=4-', 206, '456789', 'bytes 4-9/10'],
      ['bytes=-2', 206, '89', 'bytes 8-9/10'],
      ['bytes=-99', 206, '0123456789', 'bytes 0-9/10'],
      ['bytes=9-99', 206, '9', 'bytes 9-9/10'],
      ['bytes=10-', 416, '', 'bytes */10'],
      ['bytes=-0', 416, '', 'bytes */10'],
      ['bytes=5-4', 200, '0123456789', undefined],
      ['bytes=-', 200, '0123456789', undefined],
      ['bytes=0-1,3-4', 200, '0123456789', undefined],
      ['lines=0-1', 200, '0123456789', undefined],
      ['bytes=99999999999999999999-', 416, '', 'bytes */10'],
    ]
    test.each(ranges)('FIL-05 the range %s answers %i "%s"', async (range, status, text, contentRange) => {
      const { api } = await aWorld(wire)
      const { url } = await upload(wire, api, fileOf('file', '0123456789'))

      const answer = await read(url, { range })
      const head = await read(url, { range }, 'HEAD')

      if (status === 416) expectFailure(answer, 416, 'INVALID_RANGE')
      else expect([answer.status, answer.text]).toEqual([status, text])
      expect(answer.headers['content-range']).toBe(contentRange)
      expect(answer.headers['content-length']).toBe(String(answer.text.length))
      expect([head.status, head.text]).toEqual([status, ''])
      const { date: _, 'x-request-id': __, ...rest } = answer.headers
      expect(head.headers).toMatchObject(rest)
    })

    test('FIL-05 etag and date say what a reader has already', async () => {
      const { api } = await aWorld(wire)
      const { url } = await upload(wire, api, fileOf('file', '0123456789'))
      const { headers } = await read(url)
      const [etag = '', modified = ''] = [headers.etag, headers['last-modified']]
      const status = async (headers: Record<string, string>) => (await read(url, headers)).status
      const before = new Date(Date.parse(modified) - 5_000).toUTCString()

      expect(headers).toMatchObject({ 'accept-ranges': 'bytes', 'cache-control': expect.stringMatching(/max-age=\d+/) })
      expect(await status({ 'if-none-match': etag })).toBe(304)
      expect(await status({ 'if-none-match': `"x", W/${etag}` })).toBe(304)
      expect(await status({ 'if-none-match': '"x"' })).toBe(200)
      expect(await status({ 'if-modified-since': modified })).toBe(304)
      expect(await status({ 'if-modified-since': before })).toBe(200)
      expect(await status({ 'if-none-match': '"x"', 'if-modified-since': modified })).toBe(200)
      expect(await status({ range: 'bytes=0-1', 'if-range': etag })).toBe(206)
      expect(await status({ range: 'bytes=0-1', 'if-range': modified })).toBe(206)
      expect(await status({ range: 'bytes=0-1', 'if-range': '"x"' })).toBe(200)
    })

    test('FIL-05 an address is only read', async () => {
      const { api } = await aWorld(wire)
      const { url, id } = await upload(wire, api)
      const { pathname } = new URL(url)

      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const answer = await send(service.url, { method, path: pathname })
        expectFailure(answer, 405, 'METHOD_NOT_ALLOWED')
        expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS')
      }
      for (const path of [`/files/${id}`, `/files/${id}/other.txt`, '/files/nothing/file.txt', `/files/${id}/%00`]) {
        expectFailure(await send(service.url, { method: 'GET', path }), 404, 'NOT_FOUND')
      }
    })

    test('contract 10.5 pages of other origins read a file only where the project allows them', async () => {
      const { api } = await aWorld(wire, { allowedOrigins: ['https://app.example'] })
      const { url } = await upload(wire, api)

      const welcome = await read(url, { origin: 'https://app.example' })

      expect(welcome.status).toBe(200)
      expect(welcome.headers['access-control-allow-origin']).toBe('https://app.example')
      expectFailure(await read(url, { origin: 'https://evil.example' }), 403, 'ORIGIN_NOT_ALLOWED')
    })

    const kinds: readonly (readonly [name: string, type: string, disposition: 'inline' | 'attachment'])[] = [
      ['a.jpg', 'image/jpeg', 'inline'],
      ['a.JPEG', 'image/jpeg', 'inline'],
      ['a.png', 'image/png', 'inline'],
      ['a.webp', 'image/webp', 'inline'],
      ['a.gif', 'image/gif', 'inline'],
      ['a.svg', 'image/svg+xml', 'attachment'],
      ['a.pdf', 'application/pdf', 'inline'],
      ['a.doc', 'application/msword', 'attachment'],
      ['a.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'attachment'],
      ['a.txt', 'text/plain; charset=utf-8', 'inline'],
      ['a.csv', 'text/csv; charset=utf-8', 'inline'],
      ['a.mp4', 'video/mp4', 'inline'],
      ['a.mov', 'video/quicktime', 'inline'],
      ['a.webm', 'video/webm', 'inline'],
      ['a.zip', 'application/zip', 'attachment'],
      ['a.tar', 'application/x-tar', 'attachment'],
      ['a.gz', 'application/gzip', 'attachment'],
      ['a.tar.gz', 'application/gzip', 'attachment'],
    ]
    test.each(kinds)('FIL-08 %s is served as %s, %s, whatever its sender calls it', async (name, type, disposition) => {
      const { api } = await aWorld(wire)

      const part = { name: 'file', filename: name, type: 'text/html', content: '<script>' }
      const { url, mimeType } = await upload(wire, api, part)
      const { headers } = await read(url)

      expect(mimeType).toBe(type.replace(/;.*/, ''))
      expect(headers['content-type']).toBe(type)
      expect(headers['content-disposition']?.split(';')[0]).toBe(disposition)
    })

    test.each([
      ['text/html', 'text/html; charset=utf-8'],
      ['application/xhtml+xml', 'application/xhtml+xml'],
      ['text/xml', 'text/xml; charset=utf-8'],
      ['image/svg+xml', 'image/svg+xml'],
      ['text/javascript', 'application/octet-stream'],
      ['application/ecmascript', 'application/octet-stream'],
      ['audio/svg+xml', 'application/octet-stream'],
      ['video/html', 'application/octet-stream'],
      ['video/x-anything', 'video/x-anything'],
    ])('contract 8.3 what a browser would run as %s is kept, never shown', async (type, sentAs) => {
      const { api } = await someDocuments(wire)
      const part = { name: 'page', filename: 'page.html', type, content: '<script>alert(1)</script>' }

      const { fields } = await createWithFiles(wire, api, part)
      const { headers } = await read(fields.page)

      expect(headers['content-disposition']).toBe('attachment; filename="page.html"')
      expect(headers['content-type']).toBe(sentAs)
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['content-security-policy']).toMatch(/default-src 'none'.*sandbox/)
    })

    test('contract 8.3 a project may have browsers show any type, in a sandbox all the same', async () => {
      const world = await aWorld(wire, { inlineFiles: 'any' })
      await world.collection('posts')
      const part = { name: 'page', filename: 'page.html', type: 'text/html', content: '<script>alert(1)</script>' }

      const { fields } = await createWithFiles(wire, world.api, part)
      const { headers } = await read(fields.page)

      expect(headers['content-disposition']).toBe('inline; filename="page.html"')
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['content-security-policy']).toMatch(/default-src 'none'.*sandbox/)
    })

    test('contract 8.4 a project may take the named types only, as uploads to storage', async () => {
      const world = await someDocuments(wire)
      const listed = await aWorld(wire, { fileTypes: 'listed' })
      await listed.collection('posts')
      const exe = { name: 'file', filename: 'a.exe', type: 'image/png', content: 'MZ' }

      expect((await upload(wire, world.api, exe)).mimeType).toBe('image/png')
      expectFailure(await sendForm(listed.api, 'POST', '/storage/upload', [exe]), 422, 'VALIDATION_ERROR')
      expectStatus(201, await sendForm(listed.api, 'POST', '/storage/upload', [fileOf('file', 'x', 'a.tar.gz')]))
      expect(await filesOf(wire, listed)).toHaveLength(1)
      await createWithFiles(wire, listed.api, { ...exe, name: 'tool' })
      const account = JSON.stringify({ email: 'ada@example.com', password: 'Passw0rd' })
      const parts = [textOf('data', account), { ...exe, name: 'avatar' }]
      expectStatus(wire.statuses.signUp, await sendForm(listed.api, 'POST', '/auth-collections/signup', parts))
      expect((await listed.owner.get('/storage/info')).body).toMatchObject({ files: 3 })
    })
  },
  ['a'],
)
