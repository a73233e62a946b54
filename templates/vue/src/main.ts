import { createApp } from 'vue'
import App from './app.vue'
import { SvcPlugin, svc } from './svc'
import './style.css'

createApp(App).use(SvcPlugin, svc).mount('#root')
