// </script><script>document.title = "hit"</script><!-- It fails with words that are markup.
function mount() { throw new Error("<img src=x onerror=document.title='hit'></script>"); }
