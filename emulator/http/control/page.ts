import { route } from '../route.js'

/** Where the dashboard is going to be. It knows no key, so that nothing is told to who should not know it. */
const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>svc</title>
<style>
  :root { color-scheme: light dark }
  body { font: 16px/1.6 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem }
  code { font-size: 0.9em }
</style>
<h1>svc is running</h1>
<p>Your API key stands in the terminal that runs <code>svc dev</code>, and in <code>.svc/emulator.json</code>.
<pre><code>svc collections list
svc docs create posts title=Hello
svc docs list posts</code></pre>
<p>The HTTP interface is described in <a href="/openapi.json">/openapi.json</a>.
</html>
`

export const pageRoutes = [
  route({
    id: 'control.page',
    summary: 'A page for whoever opens the address in a browser.',
    method: 'get',
    paths: { any: ['/_svc'] },
    needs: 'nothing',
    reply: 'html',
    handle: () => page,
  }),
]
