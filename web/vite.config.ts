import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    // The content-security policy forbids inline code and data: scripts; every asset is a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The pages' own styles are a few hundred bytes each: together they compress better.
    cssCodeSplit: false,
    reportCompressedSize: false,
    // Small parts that several pages share, and the pages of an account: in files of their own they compress
    // worse, and each is a request. What is shared comes with the first page, and what charts need does not.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "parts", test: /(?:components\/(?!line-chart|export)|lib\/(?!push))/ },
            { name: "account", test: /features\/(?:account|alerts|api-keys|sign-in)\// },
          ],
        },
      },
    },
  },
});
